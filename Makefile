# The logic is in tools/; this only names it. Each target sets up what it needs by itself.
# PYTHON names the Python to use: make test PYTHON=python3.12

RUN = .venv/bin/python -m

help:
	@echo "make book      build the book into _build/html (does nothing if nothing changed)"
	@echo "make serve     build it, serve it on this machine and open it"
	@echo "make test      run every check"
	@echo "make execute   run the notebooks and store their outputs"
	@echo "make bench     measure speed"
	@echo "make clean     remove the built book and the caches"

setup:
	@sh tools/setup.sh "$(PYTHON)"

book: setup
	@$(RUN) tools.build

serve: book
	@$(RUN) tools.serve

test: setup
	@$(RUN) tools.check

execute: setup
	@$(RUN) tools.execute

bench: book
	@for script in benchmarks/*.py; do $(RUN) "benchmarks.$$(basename "$$script" .py)" || exit 1; done

clean:
	@rm -rf _build .pytest_cache .mypy_cache .ruff_cache .hypothesis

.PHONY: help setup book serve test execute bench clean

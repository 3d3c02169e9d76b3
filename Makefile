# The logic is in tools/; this only names it. Each target sets up what it needs by itself.
# PYTHON names the Python to use: make test PYTHON=python3.12

RUN = .venv/bin/python -m

help:
	@echo "make book      build the book into _build/html (does nothing if nothing changed)"
	@echo "make serve     open a preview that follows every edit of the sources"
	@echo "make lab       open the notebooks in JupyterLab (ARGS=--no-browser are its options)"
	@echo "make test      run every check (4 minutes); ONLY=temperature: those with this in their name"
	@echo "make snapshots renew what the tests compare explorers and questions with; then read the diff"
	@echo "make execute   run the notebooks and store their outputs"
	@echo "make pdf       print the whole book into _build/attention-layers.pdf (some minutes)"
	@echo "make course    write notebooks, figures and a plan for a class into _build/course"
	@echo "               SHEETS=\"1 2 3\" makes these sheets with other numbers; FOLDER=\"...\" is a new folder"
	@echo "make class-report FOLDER=\"...\""
	@echo "               count the right answers and the slips in files that learners handed in"
	@echo "make repository URL=https://github.com/you/yours"
	@echo "               set the address of your copy wherever it must appear"
	@echo "make nightly   what is slow or rarely breaks: other versions, JupyterLab, PDF, Python in the page"
	@echo "make heads     compare the stored data of the trained heads with the model (needs a network)"
	@echo "make experiments"
	@echo "               run again what pages have stored, and compare (an hour); ONLY=\"binding\""
	@echo "make bench     measure speed"
	@echo "make pins      renew the files that pin versions, from those that name the packages"
	@echo "               (needs a network); UPGRADE=1 takes the newest that fit"
	@echo "make clean     remove the built book, the caches and what the long checks made"

setup:
	@sh tools/setup.sh "$(PYTHON)"

book: setup
	@$(RUN) tools.build

pdf: book
	@$(RUN) tools.paper

serve: setup
	@$(RUN) tools.serve

lab: setup
	@$(RUN) tools.lab $(ARGS)

test: setup $(if $(ONLY),book)
	@$(RUN) $(if $(ONLY),pytest --nbval chapters tests --ignore=tests/nightly -k "$$ONLY",tools.check)

snapshots: book
	@$(RUN) pytest tests/explorers tests/exercises -q --snapshot-update || true
	@git diff --stat -- tests

execute: setup
	@$(RUN) tools.execute

course: setup
	@$(RUN) tools.course $(if $(FOLDER),--folder "$$FOLDER") $(if $(SHEETS),--sheets $(SHEETS))

class-report: setup
	@$(RUN) tools.class_report "$$FOLDER"

# The shell, not make, puts the address in: whatever it holds, it is one argument.
repository: setup
	@$(RUN) tools.address "$$URL"

heads: setup
	@$(RUN) tools.trained_heads

experiments: setup
	@$(RUN) tools.experiments $(ONLY)

bench: book
	@$(RUN) tools.bench

nightly: book
	@$(RUN) tools.environments colab
	@$(RUN) tools.environments oldest -m pytest -n 2 --confcutdir=tests/numerics tests/numerics
	@$(RUN) pytest -n 2 --dist loadgroup tests/nightly

pins: setup
	@$(RUN) tools.pins $(if $(UPGRADE),--upgrade $(filter-out 1,$(UPGRADE)))

clean:
	@rm -rf _build node_modules/.cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .venv-*

.PHONY: help setup book pdf serve lab test snapshots execute course class-report repository heads experiments bench nightly pins clean

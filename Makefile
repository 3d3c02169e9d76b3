# The logic is in tools/; this only names it. Each target sets up what it needs by itself.
# PYTHON names the Python to use: make test PYTHON=python3.12

RUN = .venv/bin/python -m

help:
	@echo "make book      build the book into _build/html (does nothing if nothing changed)"
	@echo "make serve     open a preview that follows every edit of the sources"
	@echo "make lab       open the notebooks in JupyterLab (ARGS=--no-browser are its options)"
	@echo "make test      run every check; ONLY=temperature: those of one page or explorer (2 minutes)"
	@echo "make pdf       print the whole book into _build/attention-layers.pdf (some minutes)"
	@echo "make execute   run the notebooks and store their outputs"
	@echo "make course    write notebooks, figures and a plan for a class into _build/course"
	@echo "               SHEETS=\"1 2 3\" makes these sheets with other numbers; FOLDER=\"...\" is a new folder"
	@echo "make class-report FOLDER=\"...\""
	@echo "               count the right answers and the slips in files that learners handed in"
	@echo "make repository URL=https://github.com/you/yours"
	@echo "               set the address of your copy wherever it must appear"
	@echo "make heads     compare the stored data of the trained heads with the model (needs a network)"
	@echo "make experiments"
	@echo "               run again what pages have stored, and compare (an hour); ONLY=\"binding\""
	@echo "make bench     measure speed"
	@echo "make mutants   break attnutils in small ways and see whether its tests notice (an hour)"
	@echo "               MODULES=\"masks scores\" takes only these"
	@echo "make mistakes  make deliberate mistakes of all kinds and see whether the checks notice (an hour)"
	@echo "               ONLY=\"softmax-overflows\" takes only these; ALL=1 runs all of make test on five"
	@echo "make test-oldest"
	@echo "               test attnutils on the oldest versions it allows; needs Python 3.11"
	@echo "make test-colab"
	@echo "               run every notebook alone with the versions of Google Colab (5 minutes)"
	@echo "make test-live try the widgets in JupyterLab and in the classic Notebook (5 minutes)"
	@echo "make audit     measure weight, speed, markup and dependencies of every page (20 minutes)"
	@echo "               ONLY=\"index temperature\" takes only these; RUNS=1 is quicker"
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

test: setup
	@$(RUN) tools.check $(if $(ONLY),--only "$$ONLY")

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

audit: book
	@$(RUN) tools.audit $(if $(RUNS),--runs $(RUNS)) $(if $(ONLY),--only $(ONLY))

mutants: setup
	@$(RUN) tools.mutants $(MODULES)

mistakes: setup
	@$(RUN) tools.mistakes $(if $(ALL),--whole) $(if $(ONLY),--only $(ONLY))

test-oldest: setup
	@$(RUN) tools.environments oldest -m pytest -n 2 --confcutdir=tests/attnutils tests/attnutils

test-colab: setup
	@$(RUN) tools.environments colab
	@$(RUN) pytest -n 2 --dist load --confcutdir=tests/colab tests/colab

test-live: setup
	@$(RUN) pytest tests/live

pins: setup
	@$(RUN) tools.pins $(if $(UPGRADE),--upgrade $(filter-out 1,$(UPGRADE)))

clean:
	@rm -rf _build node_modules/.cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@rm -rf mutants .mistakes .venv-* tools/audit/node_modules .coverage .coverage.*
.PHONY: help setup book pdf serve lab test execute course class-report repository heads experiments bench audit mutants mistakes test-oldest test-colab test-live pins clean

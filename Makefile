# Each target sets up what it needs. PYTHON names the Python to use: make book PYTHON=python3.12

.NOTPARALLEL:
RUN = .venv/bin/python -m
UV = UV_DEFAULT_INDEX="$${UV_DEFAULT_INDEX:-$$($(RUN) pip config get global.index-url 2>/dev/null)}" .venv/bin/uv
ifneq ($(shell test -w "$$HOME" && echo yes),yes)
export UV_CACHE_DIR = $(CURDIR)/.venv/cache
export npm_config_cache = $(CURDIR)/.venv/cache
endif

help:
	@echo "make book       build the book into _build/html"
	@echo "make serve      show it while you edit (PORT=8001: at another port than 8000)"
	@echo "make lab        open the notebooks in JupyterLab (ARGS=--no-browser are its options)"
	@echo "make test       run every check (5 minutes); ONLY=temperature: those with this in their name"
	@echo "make snapshots  renew what the tests compare explorers and questions with; then read the diff"
	@echo "make execute    run the notebooks and store their outputs"
	@echo "make pdf        print the whole book into _build/attention-layers.pdf (some minutes)"
	@echo "make course     write notebooks, sheets, tests, figures and a plan for a class into _build/course"
	@echo "                SHEETS=\"1 2 3\" makes these sheets; PAGES=\"temperature pitfalls\" takes these"
	@echo "                pages alone; FOLDER=... is a new folder"
	@echo "make nightly    what is slow or rarely breaks: other versions, JupyterLab, PDF, Python in the page"
	@echo "make heads      compare the stored data of the trained heads with the model (needs a network)"
	@echo "make experiments"
	@echo "                run again what pages have stored, and compare (an hour); ONLY=binding: this"
	@echo "make bench      measure speed"
	@echo "make pins       renew the files that pin versions; UPGRADE=1 takes the newest that fit,"
	@echo "                UPGRADE=\"numpy katex\" those of these packages (needs a network)"
	@echo "make clean      remove the built book, the caches and what the long checks made"

setup:
	@sh tools/setup.sh

checks:
	@sh tools/setup.sh checks

book: setup
	@$(RUN) tools.build

serve: setup
	@$(RUN) tools.serve $(PORT)

lab: .venv-jupyterlab
	@$(RUN) tools.project .venv-jupyterlab/bin/python -m jupyterlab -y $(ARGS) chapters

test: checks $(if $(ONLY),book)
	@$(RUN) $(if $(ONLY),pytest --nbval chapters tests --ignore=tests/nightly -k "$$ONLY",tools.check)

snapshots: checks book
	@$(RUN) pytest tests/explorers tests/exercises -q --snapshot-update || true
	@git diff --stat -- tests

execute: setup
	@$(RUN) tools.execute

pdf: checks book
	@$(RUN) tools.paper

course: setup
	@$(RUN) tools.course $(if $(FOLDER),--folder "$$FOLDER") $(if $(SHEETS),--sheets $(SHEETS)) $(if $(PAGES),--pages $(PAGES))

nightly: checks book .venv-colab .venv-oldest .venv-jupyterlab .venv-teaching
	@.venv-oldest/bin/python -m pytest -n 2 --confcutdir=tests/numerics tests/numerics
	@$(RUN) pytest -n 2 --dist loadfile tests/nightly

heads: setup
	@$(RUN) tools.trained_heads

experiments: setup
	@$(RUN) tools.experiments $(ONLY)

bench: checks book
	@$(RUN) tools.bench

# Other environments than .venv: of the versions in tests/constraints-NAME.txt, with the Python that
# they are of, or the one at hand.
colab = 3.13
oldest = 3.11
.venv-%: tests/constraints-%.txt | setup
	@echo "Set-up: $@, of $<"
	@$(UV) venv -q --clear --python $(or $($*),.venv/bin/python) $@ 2>/dev/null \
		|| $(UV) venv -q --clear --python .venv/bin/python $@
	@$(UV) pip sync -q --python $@ $<
	@touch $@

COMPILE = $(UV) pip compile -q --no-header --python-version 3.11 $(if $(filter 1,$(UPGRADE)),--upgrade,$(UPGRADE:%=--upgrade-package=%))
LOCK = $(COMPILE) --universal --fork-strategy fewest --generate-hashes
pins: setup
	@$(LOCK) requirements.txt -o requirements.lock
	@$(LOCK) tests/requirements.txt -o tests/requirements.lock
	@for name in oldest jupyterlab teaching; do \
		$(COMPILE) --no-annotate tests/constraints-$$name.in -o tests/constraints-$$name.txt; done
	@.venv/bin/npm $(if $(UPGRADE),update $(filter-out 1,$(UPGRADE)),install) --prefix book --package-lock-only
	@git diff --stat -- requirements.lock tests book/package-lock.json

clean:
	@rm -rf _build book/node_modules/.cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .venv-*

.PHONY: help setup checks book serve lab test snapshots execute pdf course nightly heads experiments bench pins clean

# Everything happens in .venv, which `make` creates; nothing else is needed but Python 3.10+.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What is in it: what a crawl needs; the PostgreSQL of the demonstration; the tools of tests and docs.
CRAWL := $(VENV)/.crawl
SHARED := $(VENV)/.shared
READY := $(VENV)/.ready
# Python compiles what is imported when it is; all that is installed would take half a minute.
INSTALL := PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	--no-compile -c constraints.txt
# A process a core and one more, for many tests wait for servers; the tests of a file stay together,
# they share what is costly to set up.
PARALLEL = --numprocesses=$(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)') --dist=loadfile
SEEDS ?=
TOPIC ?=
EXAMPLES ?=
STRATEGY ?=
PAGES ?=
DIR ?=

# Strict: a dead link, or a page that the navigation does not name, is an error.
SITE := $(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env

.PHONY: crawl crawl-shared test slow scrapys-tests check format bench bench-ranking bench-harvest docs kernels clean

KERNELS := $(shell find frontier ranking -name '*.pxd' -o -name '*.pyx')

# What is assigned on the command line must be one of these: a misspelt SEEDS would be no seeds.
VARIABLES := SEEDS TOPIC EXAMPLES STRATEGY PAGES DIR
GIVEN := $(foreach one,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(one)))),$(one)))
UNKNOWN := $(filter-out $(VARIABLES) PYTHON VENV BIN CRAWL SHARED READY INSTALL PARALLEL SITE MAKE% -%,$(GIVEN))
$(if $(strip $(UNKNOWN)),$(error Unknown variable $(UNKNOWN): expected some of $(VARIABLES)))

# The kernels are compiled while the libraries are fetched. Setuptools warns of folders beside an
# editable package; `crawler` lies there on purpose.
$(CRAWL): pyproject.toml setup.py constraints.txt $(KERNELS)
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.10 or newer is needed, this is %s" % sys.version.split()[0] if sys.version_info < (3, 10) else 0)'
	@echo "Installing into $(VENV): this project and its libraries; compiling its kernels. A minute or two the first time."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python tools/requirements.py > $(VENV)/crawl.txt
	@$(INSTALL) -r $(VENV)/crawl.txt & \
		$(INSTALL) --no-deps -e . && wait $$!
	@touch $(CRAWL)

$(SHARED): $(CRAWL)
	@echo "Installing a PostgreSQL for the demonstration into $(VENV)."
	@$(BIN)/python tools/requirements.py demonstration > $(VENV)/shared.txt
	@$(INSTALL) -r $(VENV)/shared.txt
	@touch $(SHARED)

$(READY): $(CRAWL)
	@echo "Installing the tools of tests and docs into $(VENV). Some minutes the first time."
	@$(BIN)/python tools/requirements.py dev > $(VENV)/dev.txt
	@$(INSTALL) -r $(VENV)/dev.txt
	@touch $(READY)

# Without SEEDS: a demonstration web on this machine, for its own topic or TOPIC. With SEEDS and
# TOPIC: the real web.
# By the environment, for whatever quotes the values hold.
crawl: export SEEDS := $(SEEDS)
crawl: export TOPIC := $(TOPIC)
crawl: export EXAMPLES := $(EXAMPLES)
crawl: export STRATEGY := $(STRATEGY)
crawl: export PAGES := $(PAGES)
crawl: export DIR := $(DIR)
crawl: $(CRAWL)
	@$(BIN)/python -m crawler.run --seeds="$$SEEDS" --topic="$$TOPIC" --examples="$$EXAMPLES" \
		--strategy="$$STRATEGY" --pages="$$PAGES" --dir="$$DIR"

# On the demonstration web: a frontier, three fetchers and a PostgreSQL of their own between them.
crawl-shared: export PAGES := $(PAGES)
crawl-shared: export DIR := $(DIR)
crawl-shared: $(SHARED)
	@$(BIN)/python -m crawler.shared --pages="$$PAGES" --dir="$$DIR"

# What is imported is compiled once, whatever the environment says: hundreds of processes import it.
test slow scrapys-tests: export PYTHONDONTWRITEBYTECODE :=

test: $(READY)
	$(BIN)/python -m pytest $(PARALLEL)

slow: $(READY)
	$(BIN)/python -m pytest $(PARALLEL) -m slow

# Scrapy's own tests, plain and with the add-on in every project; some minutes.
scrapys-tests: $(READY)
	$(BIN)/python -m tests.scrapys_own

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m docs.generate --check
	$(SITE) -b dummy docs build/site-check

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Fails where a promise is missed; a quarter of an hour on a machine that does nothing else.
bench: $(READY)
	$(BIN)/python -m benchmarks

# Beside networkx, igraph, networkit, scikit-network, scipy and python-graphblas, which it installs
# in a place of their own.
bench-ranking: $(READY)
	$(BIN)/python -m benchmarks ranking

# The crawl orders on recorded webs, development topics; results in lab/.
bench-harvest: $(READY)
	$(BIN)/python -m benchmarks harvest

# Generated pages, and the site in build/site: open build/site/index.html.
docs: $(READY)
	$(BIN)/python -m docs.generate
	$(SITE) -b html docs build/site

# While a kernel is being written: compiles what has changed, where it lies.
kernels: $(READY)
	PYTHONWARNINGS=ignore $(BIN)/python setup.py --quiet build_ext --inplace

clean:
	find frontier ranking '(' -name '*.so' -o -name '*.c' ')' -delete
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Every verb of this repository. `make help` lists those of every day; the npm scripts of the same names call them.
# Recipes are plain POSIX sh. A verb that builds also installs, so each one works in a fresh clone.
.POSIX:
.SUFFIXES:
.PHONY: help dev build test check format e2e conformance fuzz soak faults slow work bench docs site pack runtimes nightly
.PHONY: setup lint docs-test pack-test site-test screenshots subject conformance-faults bench-compare foreign mutation outside

INSTALLED = node_modules/.installed
PEERS = bench/peers/node_modules/.installed

# The first target is the default one: `make` alone explains itself.
help:
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

dev: build ## build and start the demo, two services (PORT=8080, SHIPPING_PORT=8081, DATA_DIR= keeps its data between starts)
	@PORT="$${PORT:-8080}" exec node --enable-source-maps .build/examples/demo.js

# In the order of what needs what, each step incremental: the tests and the demo load the page, so that is built before them.
build: $(INSTALLED) ## compile the packages, the dashboard page, then everything else into .build/
	@node scripts/requirements.mjs && node scripts/shapes.mjs
	@printf '[1/6] compiling the packages\n'
	@node_modules/.bin/tsc -b src/framework src/devtools src/devtools/dashboard src/create-framework
	@printf '[2/6] bundling the framework\n'
	@node scripts/bundle-framework.mjs
	@printf "[3/6] building the dashboard's page\n"
	@node scripts/build-dashboard.mjs
	@printf '[4/6] bundling what agents speak\n'
	@node scripts/bundle-mcp.mjs
	@printf '[5/6] compiling the examples and tests\n'
	@node_modules/.bin/tsc -b
	@printf '[6/6] writing the JSON Schemas\n'
	@node scripts/emit-schemas.mjs

test: $(INSTALLED) ## run everything that needs no browser, with coverage gates; ROOM="session src/devtools/run/search": these alone, in seconds
	@if [ -n "$(ROOM)" ]; then node scripts/test.mjs $(ROOM); else $(MAKE) build && node scripts/test.mjs $${BASE:+--base="$$BASE"}; fi

check: build test/types/node_modules/.installed ## formatting, lint, unused code, package shape, sizes, lock file (ONLY="lint knip": these)
	@node scripts/check.mjs $(ONLY)

format: $(INSTALLED) ## rewrite the sources in the house format
	@node_modules/.bin/oxfmt

e2e: build ## drive the demo in a real browser (PROJECT=short: what CI runs, e2e-budget: its times; E2E_CHROMIUM= chooses one)
	@node_modules/.bin/playwright test --config=e2e/playwright.config.ts --project=$${PROJECT:-e2e} $$([ "$$PROJECT" != e2e-budget ] || echo --workers=1)

conformance: build ## prove the subject conformant (URL= yours, ENGINES="node-http fetch" or all, WRITE=1 commits the matrix, IDS="HEALTH QUERY-003")
	@if [ -n "$(URL)" ]; then node conformance/cli.mjs --url "$(URL)" $(IDS); \
	else IDS="$(IDS)" node --enable-source-maps .build/conformance/own-targets.js $(ENGINES) $${WRITE:+--write}; fi

fuzz: build ## hostile bytes, properties, regular expressions (FAST=1, N=, SECONDS=, SEED=, NODE=24; so have the next four)
	@node .build/test/stress/main.js fuzz

soak: build ## a long mixed load: nothing lost, nothing kept
	@node .build/test/stress/main.js soak

faults: build ## everything the app is handed, failing in five ways: nobody else notices
	@node .build/test/stress/main.js faults

slow: build ## slow clients, stops under load, event streams, storms
	@node .build/test/stress/main.js slow

work: build ## jobs: processes and engines are killed, and no job is lost (FAST=1, SEED=)
	@node .build/test/stress/main.js work

bench: build $(PEERS) ## measure against bare node:http and peers (FAST=1, PEERS=all, NODE=24, HOSTS=bun,deno; ONLY=micro, types, overload, or a list: tls)
	@entry=$${HOSTS:+hosts}; case "$$ONLY" in micro|types|overload|jobs) entry=$$ONLY;; esac; node .build/bench/$${entry:-main}.js

docs: build ## write docs/api/ from the doc comments
	@node scripts/api-docs.mjs

pack: build ## write the publishable tarballs to .build/pack/
	@node scripts/pack.mjs

runtimes: ## install Node 22, 24, 26, Bun, Deno and workerd for the tests that run on them (1 GB, optional)
	npm ci --prefix conformance/runtimes --no-bin-links --ignore-scripts --no-audit --no-fund
	@cd conformance/runtimes/node_modules && ls node2?/bin/node @*/*/deno @*/*/bin/*

nightly: ## all of it, whole: an hour or less, kept in nightly.md (ONLY="fuzz slow": these)
	@scripts/nightly.sh $(ONLY)

# What a verb above needs, or what is done once in a while. No help for these.

setup: $(INSTALLED)

$(INSTALLED): package-lock.json
	npm ci --ignore-scripts --no-audit --no-fund
	@touch $(INSTALLED)

test/types/node_modules/.installed: test/types/package-lock.json
	npm ci --prefix test/types --ignore-scripts --no-bin-links --no-audit --no-fund
	@touch test/types/node_modules/.installed

docs/.vitepress/node_modules/.installed: docs/.vitepress/package-lock.json
	npm ci --prefix docs/.vitepress --ignore-scripts --no-audit --no-fund
	@touch docs/.vitepress/node_modules/.installed

$(PEERS): bench/peers/package-lock.json
	npm ci --prefix bench/peers --ignore-scripts --no-audit --no-fund
	@touch $(PEERS)

test/mutation/node_modules/.installed: test/mutation/package-lock.json
	npm ci --prefix test/mutation --ignore-scripts --no-bin-links --no-audit --no-fund
	@touch test/mutation/node_modules/.installed

lint: $(INSTALLED)
	@node scripts/check.mjs lint

docs-test: build
	@node scripts/test.mjs scripts/docs.test

pack-test: pack
	@node_modules/.bin/playwright test --config=e2e/playwright.config.ts --project=pack-test

# The guides, the API and the specification as a site in .build/site/, every link checked (PREVIEW=1 serves it).
site: docs/.vitepress/node_modules/.installed
	@docs/.vitepress/node_modules/.bin/vitepress build docs
	@[ -z "$$PREVIEW" ] || exec docs/.vitepress/node_modules/.bin/vitepress preview docs

# The site in a browser: everyday questions are found, and its pages fit.
site-test: site
	@node_modules/.bin/playwright test --config=e2e/playwright.config.ts --project=site-test

screenshots: build
	@node_modules/.bin/playwright test --config=e2e/playwright.config.ts --project=screenshots

# The app that the conformance suite talks to (PORT=9100 PROFILE=default ENGINE=node-http).
subject: build
	@PORT="$(PORT)" PROFILE="$(PROFILE)" ENGINE="$(ENGINE)" exec node --enable-source-maps .build/conformance/subject/main.js

# Breaks every field, header and event in turn and sees that the suite notices (FAST=1, COUNT=, SEED=, ONLY=, BY=1).
conformance-faults: build
	@node --enable-source-maps .build/conformance/faults-main.js

# This tree against another commit, paired: BASE=<ref>; fails over 5 % (SLOWED=10 proves that it can).
bench-compare: build
	@node .build/bench/compare.js

# The suite against Fastify, Hono and Express as they come, and a framework in Java (WRITE=1 commits what they keep).
foreign: build $(PEERS)
	@node --enable-source-maps .build/conformance/foreign.js $${WRITE:+--write}

# Changes the code in one place after the other and sees that its tests notice (ROOMS="routing middleware/cors", or all;
# BASE=main: files changed since).
mutation: build test/mutation/node_modules/.installed
	@stryker="node test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js run test/mutation/stryker.config.mjs"; \
	if [ -n "$(BASE)" ]; then \
	  FILES=$$(git diff --name-only --diff-filter=d "$(BASE)" -- 'src/framework/*.ts' 'src/devtools/capture/*.ts' 'src/devtools/record/*.ts' 'src/devtools/keep/*.ts' 'src/devtools/serve/*.ts' ':!*.test.ts' ':!*.d.ts' ':!*/index.ts'); \
	  export FILES; [ -z "$$FILES" ] || $$stryker; exit; fi; \
	rooms="$${ROOMS:-routing metrics}"; \
	[ "$$rooms" != all ] || rooms="$$(cd src/framework; find * -name '*.test.ts' | sed -n '/^testing/d; s,/.*,,p' | sort -u) devtools/capture devtools/record devtools/keep devtools/serve"; \
	for room in $$rooms; do ROOM=$$room $$stryker || failed=1; done; exit $${failed:-0}

# Tests that others publish, from a folder with their sources: DIR=<folder> (RealWorld's API tests, the W3C's of Trace Context, h1spec).
outside: build
	@node .build/test/outside/main.js "$(DIR)"

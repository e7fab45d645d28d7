# Every verb of this repository. `make help` lists them; the npm scripts of the same names call them.
# Recipes are plain POSIX sh. A verb that builds also installs, so each one works in a fresh clone.
.POSIX:
.SUFFIXES:
.PHONY: help setup dev build test check lint format e2e screenshots pack fuzz soak faults slow spec conformance conformance-faults subject runtimes pack-test docs-test docs outside e2e-budget bench bench-micro bench-compare bench-types

INSTALLED = node_modules/.installed
PLAYWRIGHT = node_modules/.bin/playwright test --config=e2e/playwright.config.ts --project

# The first target is the default one: `make` alone explains itself.
help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

setup: $(INSTALLED) ## install the locked dependencies (only when the lock changed)

$(INSTALLED): package-lock.json
	npm ci --ignore-scripts --no-audit --no-fund
	@touch $(INSTALLED)

# In the order of what needs what, each step incremental: the tests and the demo load the page, so that is built before them.
build: $(INSTALLED) ## compile the packages, the dashboard page, then everything else into .build/
	@node scripts/requirements.mjs
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

dev: build ## build and start the demo, two services (PORT=8080, SHIPPING_PORT=8081, DATA_DIR= keeps its data between starts)
	@PORT="$${PORT:-8080}" exec node --enable-source-maps .build/examples/demo.js

test: build ## run everything that needs no browser, with coverage gates
	@node scripts/test.mjs

test/types/node_modules/.installed: test/types/package-lock.json
	npm ci --prefix test/types --ignore-scripts --no-bin-links --no-audit --no-fund
	@touch test/types/node_modules/.installed

check: build test/types/node_modules/.installed ## the whole gate: formatting, lint, unused code, package shape, lock file
	@node scripts/check.mjs

lint: $(INSTALLED) ## lint with type information: the import table, cycles, lengths and doc comments too
	@node scripts/check.mjs lint

format: $(INSTALLED) ## rewrite the sources in the house format
	@node_modules/.bin/oxfmt

e2e: build ## drive the demo in a real browser (E2E_CHROMIUM= chooses one)
	@$(PLAYWRIGHT)=e2e

e2e-budget: build ## hold the dashboard in a real browser to its times
	@$(PLAYWRIGHT)=e2e-budget --workers=1

screenshots: build ## take the pictures in docs/ from the running demo
	@$(PLAYWRIGHT)=screenshots

pack: build ## write the publishable tarballs to .build/pack/
	@node scripts/pack.mjs

bench/peers/node_modules/.installed: bench/peers/package-lock.json
	npm ci --prefix bench/peers --ignore-scripts --no-audit --no-fund
	@touch bench/peers/node_modules/.installed

bench: build bench/peers/node_modules/.installed ## measure against bare node:http and peers (FAST=1, PEERS=all, NODE=24, NODE_BINARY=, HOSTS=bun,deno,node-fetch)
	@if [ -n "$(HOSTS)" ]; then node .build/bench/hosts.js; else node .build/bench/main.js; fi

bench-micro: build ## ns per operation of the parts of a request
	@node .build/bench/micro.js

bench-compare: build ## this tree against another commit, paired: BASE=<ref>; fails over 5 % (SLOWED=10 proves that it can)
	@node .build/bench/compare.js

fuzz: build ## hostile bytes, properties, regular expressions (FAST=1, N=, SECONDS=, SEED=, NODE=24)
	@node .build/test/stress/main.js fuzz

soak: build ## a long mixed load: nothing lost, nothing kept (FAST=1, N=, SECONDS=, SEED=, NODE=24)
	@node .build/test/stress/main.js soak

faults: build ## everything the app is handed, failing in five ways: nobody else notices (NODE=24)
	@node .build/test/stress/main.js faults

slow: build ## slow clients, stops under load, event streams, storms (FAST=1, N=, NODE=24)
	@node .build/test/stress/main.js slow

bench-types: build bench/peers/node_modules/.installed ## what a typed client costs an editor, beside Hono's and Elysia's
	@node .build/bench/types.js

subject: build ## serve the app that the conformance suite talks to (PORT=9100 PROFILE=default ENGINE=node-http)
	@PORT="$(PORT)" PROFILE="$(PROFILE)" ENGINE="$(ENGINE)" exec node --enable-source-maps .build/conformance/subject/main.js

conformance: build ## prove the subject conformant (URL= yours, ENGINES="node-http fetch" or all, WRITE=1 commits the matrix, IDS="HEALTH QUERY-003")
	@if [ -n "$(URL)" ]; then node conformance/cli.mjs --url "$(URL)" $(IDS); \
	else node --enable-source-maps .build/conformance/own-targets.js $(ENGINES) $${WRITE:+--write}; fi

conformance-faults: build ## break every field, header and event in turn and see that the suite notices (FAST=1, COUNT=, SEED=, ONLY=, BY=1)
	@node --enable-source-maps .build/conformance/faults-main.js

spec: build ## write the JSON Schemas and the OpenAPI description of spec/ to spec/json/
	@node scripts/emit-schemas.mjs spec/json

runtimes: ## install Node 22, 24, 26, Bun, Deno and workerd for the tests that run on them (1 GB, optional)
	npm ci --prefix conformance/runtimes --no-bin-links --ignore-scripts --no-audit --no-fund
	@cd conformance/runtimes/node_modules && ls node2?/bin/node @*/*/deno @*/*/bin/*

pack-test: pack ## a consumer's path: the tarballs, a new project, its dashboard in a browser (KEEP=1 leaves it)
	@$(PLAYWRIGHT)=pack-test

docs-test: build ## check every code block of the documentation: compile, run, parse
	@node scripts/test.mjs scripts/docs.test

docs: build ## write docs/api.md from the doc comments, and the OpenAPI documents of the examples
	@node scripts/api-docs.mjs
	@node .build/examples/shop/print-document.js > examples/shop/openapi.json
	@node .build/examples/realworld/print-document.js > examples/realworld/openapi.json

.PHONY: foreign mutation
foreign: build bench/peers/node_modules/.installed ## the suite against Fastify, Hono and Express as they come, and a framework in Java (WRITE=1 commits their reports)
	@node --enable-source-maps .build/conformance/foreign.js $${WRITE:+--write}

test/mutation/node_modules/.installed: test/mutation/package-lock.json
	npm ci --prefix test/mutation --ignore-scripts --no-bin-links --no-audit --no-fund
	@touch test/mutation/node_modules/.installed

mutation: build test/mutation/node_modules/.installed ## change the code in one place after the other and see that its tests notice (ROOMS="routing middleware/cors", or all; BASE=main: files changed since)
	@stryker="node test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js run test/mutation/stryker.config.mjs"; \
	if [ -n "$(BASE)" ]; then \
	  FILES=$$(git diff --name-only --diff-filter=d "$(BASE)" -- 'src/framework/*.ts' 'src/devtools/server/*.ts' ':!*.test.ts' ':!*.d.ts' ':!*/index.ts'); \
	  export FILES; [ -z "$$FILES" ] || $$stryker; exit; fi; \
	rooms="$${ROOMS:-routing metrics}"; \
	[ "$$rooms" != all ] || rooms="$$(cd src/framework; find * -name '*.test.ts' | sed -n '/^testing/d; s,/.*,,p' | sort -u) devtools/server"; \
	for room in $$rooms; do ROOM=$$room $$stryker || failed=1; done; exit $${failed:-0}

outside: build ## run tests that others publish, from a folder with their sources: DIR=<folder> (RealWorld's API tests, the W3C's of Trace Context, h1spec)
	@node .build/test/outside/main.js "$(DIR)"

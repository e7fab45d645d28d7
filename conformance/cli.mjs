#!/usr/bin/env node
/** Launches the compiled suite: `node conformance/cli.mjs --url http://127.0.0.1:8080`. */
import { existsSync } from "node:fs";

const compiled = new URL("../.build/conformance/program.js", import.meta.url);
if (existsSync(compiled)) await import(compiled.href);
else {
  process.stderr.write("conformance: the suite is not compiled yet: run `make build`\n");
  process.exitCode = 2;
}

#!/usr/bin/env node
/** Launches the compiled suite: `node conformance/cli.mjs --url http://127.0.0.1:8080`. */
import { existsSync } from "node:fs";

const compiled = new URL("../.build/conformance/cli.js", import.meta.url);
if (!existsSync(compiled)) {
  process.stderr.write("conformance: the suite is not compiled yet: run `make build`\n");
  process.exit(2);
}
const { main } = await import(compiled.href);
process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
});

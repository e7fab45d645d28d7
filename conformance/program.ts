#!/usr/bin/env node
/** The command line as a program: `conformance --url http://127.0.0.1:8080`, and what `cli.mjs` starts. */
import { main } from "./cli.ts";

process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
});

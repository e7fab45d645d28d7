#!/usr/bin/env node
/**
 * The program behind `framework` and `create-framework`: says so where Node is too old for it, else loads it.
 */
import { unsupported } from "./node-version.ts";

const reason = unsupported(process.versions.node);
if (reason === undefined) await import("./program.ts");
else {
  process.stderr.write(`create-framework: ${reason}\n`);
  process.exitCode = 1;
}

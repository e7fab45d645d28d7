#!/usr/bin/env node
/** The command line as a program: `conformance --url http://127.0.0.1:8080`, and what `cli.mjs` starts. */
import { main } from "./cli.ts";

const { stdout, stderr } = process;

// Whoever reads, as `head` does, may have had enough: the reports and the exit code are as ever.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.exit(2);
});

process.exitCode = await main(process.argv.slice(2), {
  out: (text) => stdout.write(`${text}\n`),
  err: (text) => stderr.write(`${text}\n`),
  progress: stderr.isTTY ? (text) => stderr.write(`\r\u001B[K${text}`) : undefined,
});

#!/usr/bin/env node
/** The command line as a program: `conformance --url http://127.0.0.1:8080`. `cli.mjs` starts it too. */
import { main } from "./cli.ts";

const { stdout, stderr } = process;

// A reader such as `head` may close the pipe early. Reports and exit code stay the same.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.exit(2);
});

process.exitCode = await main(process.argv.slice(2), {
  out: (text) => stdout.write(`${text}\n`),
  err: (text) => stderr.write(`${text}\n`),
  progress: stderr.isTTY ? (text) => stderr.write(`\r\u001B[K${text}`) : undefined,
});

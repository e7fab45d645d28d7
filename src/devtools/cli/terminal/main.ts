#!/usr/bin/env node
/** The entry file of `framework-devtools`: the program on this process's own streams. */
import { runProgram } from "./program.ts";

const controller = new AbortController();
process.once("SIGINT", () => controller.abort());
// A reader such as `head` may close the pipe early.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 2);
});

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  output: process.stdout,
  pipe: { input: process.stdin, output: process.stdout },
  signal: controller.signal,
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
});

/**
 * `npm run dev`: compiles on every change, and restarts the program when the compiled files change.
 *
 *   src/*.ts ──tsc --watch──▶ build/dev/*.js ──node --watch──▶ the program, started anew
 *
 * The program starts after the first successful compilation, since otherwise it would start twice. Options go to its Node:
 * `npm run dev -- --inspect`.
 */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";

const [entry = "main.js", ...options] = process.argv.slice(2);
const folder = "build/dev";
const shell = process.platform === "win32";
const colours = process.stdout.isTTY ? ["--pretty"] : [];
// Each in its own process group (if the system has them), so that ending the group ends the child processes too.
const detached = !shell;
const children = [];

rmSync(folder, { recursive: true, force: true });
const compiler = started(
  "tsc",
  spawn("tsc", ["--watch", "--preserveWatchOutput", "--outDir", folder, ...colours], {
    stdio: ["ignore", "pipe", "inherit"],
    detached,
    shell,
  }),
);
let running = false;
compiler.stdout.setEncoding("utf8").on("data", (text) => {
  process.stdout.write(text);
  if (running || !/Found 0 errors/.test(text)) return;
  running = true;
  const args = ["--watch", "--enable-source-maps", ...options, `${folder}/${entry}`];
  started("node", spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"], detached }));
});

function started(name, child) {
  child.on("error", (error) => {
    const hint =
      error.code === "ENOENT" ? `there is no ${name}: run \`npm install\`, then \`npm run dev\`` : error.message;
    console.error(`npm run dev: ${hint}`);
    stop(1);
  });
  child.on("exit", (code) => stop(code ?? 0));
  children.push(child);
  return child;
}

let stopping = false;
function stop(code) {
  if (stopping) return;
  stopping = true;
  process.exitCode = code;
  for (const child of children) end(child);
}

function end(child) {
  try {
    if (shell) child.kill();
    else process.kill(-child.pid, "SIGTERM");
  } catch {
    // It has already ended.
  }
}

// Closing a terminal signals only this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop(0));

/**
 * `npm run dev`: compiles on every change, and restarts the program when what was compiled changed.
 *
 *   src/*.ts ──tsc --watch──▶ dist/*.js ──node --watch──▶ the program, started anew
 *
 * The program starts after the first compilation without a mistake: sooner, it would start twice.
 */
import { spawn } from "node:child_process";

const [entry = "dist/main.js"] = process.argv.slice(2);
const shell = process.platform === "win32";
const colours = process.stdout.isTTY ? ["--pretty"] : [];
// Each in a process group of its own (where there are any): ending the group ends what they start, too.
const detached = !shell;
const children = [];

const compiler = started(
  spawn("tsc", ["--watch", "--preserveWatchOutput", ...colours], {
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
  const args = ["--watch", "--enable-source-maps", entry];
  started(spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"], detached }));
});

function started(child) {
  child.on("error", (error) => {
    console.error(`npm run dev: ${error.message}`);
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
    // It has ended already.
  }
}

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop(0));

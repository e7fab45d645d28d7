/**
 * `npm run dev`: compiles on every change, and restarts the program when what was compiled changed.
 *
 *   src/*.ts ──tsc --watch──▶ dist/*.js ──node --watch──▶ the program, started anew
 */
import { spawn, spawnSync } from "node:child_process";

const [entry = "dist/main.js"] = process.argv.slice(2);
const shell = process.platform === "win32";
const compiled = spawnSync("tsc", [], { stdio: "inherit", shell });
if (compiled.status !== 0) process.exit(compiled.status ?? 1);

// Each in a process group of its own (where there are any): ending the group ends what they start, too.
const options = { stdio: ["ignore", "inherit", "inherit"], detached: !shell };
const children = [
  spawn("tsc", ["--watch", "--preserveWatchOutput"], { ...options, shell }),
  spawn(process.execPath, ["--watch", "--enable-source-maps", entry], options),
];

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

for (const child of children) {
  child.on("error", (error) => {
    console.error(`npm run dev: ${error.message}`);
    stop(1);
  });
  child.on("exit", (code) => stop(code ?? 0));
}
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop(0));

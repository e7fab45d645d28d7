/** Pages that listen to devtools' stream, in a separate process on the load's core, since reading is not the server's work. */
import { spawn } from "node:child_process";
import { onCore } from "../method/process.ts";

/** Opens `count` pages, which stay until this process ends. */
export function openPages(port: number, count: number): void {
  const script = `for (let n = 0; n < ${count}; n += 1) require("node:http").get(process.argv[1], (res) => res.resume());`;
  const url = `http://127.0.0.1:${port}/framework/dev/api/stream`;
  const [command, ...args] = onCore(1, process.execPath, "-e", script, url);
  const child = spawn(command, args, { stdio: "ignore" });
  process.once("exit", () => child.kill());
}

/** Pages that listen to devtools' stream: in a process of their own on the load's core, since reading is not the server's work. */
import { spawn } from "node:child_process";
import { canPin } from "../method/server-process.ts";

/** Opens `count` pages, which stay until this process ends. */
export function openPages(port: number, count: number): void {
  const script = `for (let n = 0; n < ${count}; n += 1) require("node:http").get(process.argv[1], (res) => res.resume());`;
  const command = [...(canPin() ? ["taskset", "-c", "1"] : []), process.execPath, "-e", script];
  const url = `http://127.0.0.1:${port}/framework/dev/api/stream`;
  const child = spawn(command[0] ?? "", [...command.slice(1), url], { stdio: "ignore" });
  process.once("exit", () => child.kill());
}

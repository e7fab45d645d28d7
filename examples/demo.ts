/**
 * The demo of `make dev`: the shipping service in a separate process, then the shop, which calls it.
 *
 *   demo ──▶ node shipping/main.js ──▶ "listens on http://…" ──▶ SHIPPING_URL ──▶ shop/main.js, in this process
 *
 *   PORT           where the shop listens (8080)
 *   SHIPPING_PORT  where shipping listens (8081; any free one where that is taken)
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./shipping/main.js", import.meta.url));

/** The URL of the service, or undefined if it has ended without printing one. */
async function startShipping(port: string): Promise<string | undefined> {
  const child = spawn(process.execPath, ["--enable-source-maps", program], {
    env: { ...process.env, PORT: port },
    stdio: ["ignore", "pipe", port === "0" ? "inherit" : "ignore"],
  });
  process.once("exit", () => child.kill());
  child.unref(); // the demo ends with the shop
  return Promise.race([addressOf(child), once(child, "exit").then(() => undefined)]);
}

async function addressOf({ stdout }: ChildProcess): Promise<string | undefined> {
  if (stdout === null) return undefined;
  for await (const line of createInterface(stdout)) {
    const [url] = /http:\/\/\S+/.exec(line) ?? [];
    if (url === undefined) continue;
    stdout.pipe(process.stdout);
    if (stdout instanceof Socket) stdout.unref();
    return url;
  }
  return undefined;
}

const asked = process.env["SHIPPING_PORT"] ?? "8081";
const url = (await startShipping(asked)) ?? (await startShipping("0"));
if (url !== undefined) {
  process.env["SHIPPING_URL"] = url;
  console.log(`Shipping is open at ${url}, its dashboard at ${url}/framework/dev`);
}
await import("./shop/main.ts");

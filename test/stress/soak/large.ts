/**
 * Large bodies: a gigabyte each way, which must never be in memory.
 *
 *   client ──multipart──▶ dropped │ saved         file ──▶ whole │ half of it, by a range │ to a client that reads slowly
 *                    the process's memory over what it had idle is the figure
 *
 * The memory is all that the process has from the system, buffers outside of the heap included.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Figure, Group, Measurement } from "../rows.ts";
import type { Settings } from "../settings.ts";

const mega = 1_048_576;
/** What a body may cost, whatever its size. */
const mostMega = 64;
const word = "the middle";

/** The running process, and the folder with the large file in it. */
interface Large {
  readonly port: number;
  readonly bytes: number;
  readonly folder: string;
  ask(question: "idle" | "peak"): Promise<number>;
}

/** Sends something, and says how many bytes of content went over the wire. @throws Error where it is not what it should be. */
type Transfer = (large: Large, bytes: number) => Promise<number>;

const boundary = "large-body";
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n`;
const end = `\r\n--${boundary}--\r\n`;

function asked(port: number, path: string, options: object): ClientRequest {
  return request({ port, host: "127.0.0.1", path, agent: false, ...options });
}

async function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return response;
}

/** A form with a file of that many bytes. */
function* formOf(bytes: number): Generator<Buffer> {
  const block = Buffer.alloc(65_536, "0123456789abcdef\r\n");
  yield Buffer.from(head);
  for (let left = bytes; left > 0; left -= block.length) yield block.subarray(0, left);
  yield Buffer.from(end);
}

const upload =
  (path: string): Transfer =>
  async ({ port }, bytes) => {
    const headers = {
      "Content-Type": `multipart/form-data; boundary=${boundary}`,
      "Content-Length": head.length + bytes + end.length,
    };
    const sent = asked(port, path, { method: "POST", headers });
    const responding = responseTo(sent);
    await pipeline(Readable.from(formOf(bytes), { objectMode: false }), sent);
    const text = (await (await responding).toArray()).join("");
    if (text !== `{"bytes":${bytes}}`) throw new Error(`the upload was responded to with ${text.slice(0, 200)}`);
    return bytes;
  };

const save: Transfer = async (large, bytes) => {
  await upload("/save")(large, bytes);
  const file = join(large.folder, "saved");
  const { size } = statSync(file);
  rmSync(file);
  if (size !== bytes) throw new Error(`${size} bytes of ${bytes} were saved`);
  return size;
};

/** @param pauseMs after each piece, in which nothing is read */
const download =
  (from: (bytes: number) => number, status: number, pauseMs = 0): Transfer =>
  async ({ port, bytes: whole }, bytes) => {
    const first = from(whole);
    const range = `bytes=${first}-${Math.min(whole, first + bytes) - 1}`;
    const response = await responseTo(
      asked(port, "/files/large.bin", status === 206 ? { headers: { range } } : {}).end(),
    );
    let got = 0;
    let start = "";
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (got === 0) start = chunk.toString("latin1", 0, word.length);
      got += chunk.length;
      if (pauseMs > 0) await setTimeout(pauseMs);
      if (status === 200 && got >= bytes) break;
    }
    const isRight = response.statusCode === status && (first === 0 || start === word);
    if (!isRight) throw new Error(`the download is ${response.statusCode}, and begins with ${JSON.stringify(start)}`);
    return got;
  };

async function measured(large: Large, transfer: Transfer, bytes: number): Promise<Figure> {
  await transfer(large, Math.min(bytes, 8 * mega)); // Code and buffers that every such request needs.
  const idle = await large.ask("idle");
  const since = performance.now();
  const moved = await transfer(large, bytes);
  const seconds = (performance.now() - since) / 1_000;
  const over = (await large.ask("peak")) / mega;
  return {
    figure:
      `${Math.round(moved / mega)} MiB at ${Math.round(moved / mega / seconds)} MiB/s, ` +
      `${over.toFixed(1)} MiB over the ${Math.round(idle / mega)} MiB of the idle process`,
    target: `at most ${mostMega} MiB over`,
    met: over <= mostMega,
  };
}

async function start(node: string, bytes: number): Promise<Large & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "large-"));
  // Sparse: it takes no room on the disk.
  const file = openSync(join(folder, "large.bin"), "w");
  writeSync(file, word, bytes / 2);
  truncateSync(join(folder, "large.bin"), bytes);
  const script = fileURLToPath(new URL("./large-process.js", import.meta.url));
  const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
  const child: ChildProcess = spawn(node, ["--expose-gc", script, folder], { stdio: [...stdio] });
  const exit = once(child, "exit").then(() => Promise.reject(new Error("the process ended before it listened")));
  const [{ port }] = (await Promise.race([once(child, "message"), exit])) as [{ port: number }];
  exit.catch(() => undefined);
  return {
    ...{ port, bytes, folder },
    async ask(question) {
      const reply = once(child, "message");
      child.send(question);
      const [{ bytes }] = (await reply) as [{ bytes: number }];
      return bytes;
    },
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A row for each transfer, each in a process of its own. */
export function largeRows({ node, fast }: Settings): Group {
  const bytes = (fast ? 128 : 1_024) * mega;
  const row =
    (transfer: Transfer, moved: number): Measurement =>
    async () => {
      const large = await start(node, bytes);
      return await measured(large, transfer, moved).finally(() => large.stop());
    };
  return {
    "large body: upload, dropped": row(upload("/drop"), bytes),
    "large body: upload, saved": row(save, bytes),
    "large body: static file": row(
      download(() => 0, 200),
      bytes,
    ),
    "large body: static file, its second half": row(
      download((whole) => whole / 2, 206),
      bytes,
    ),
    // The pieces that a client gets are 64 KiB or less: some 30 MB in a second.
    "large body: static file, read slowly": row(
      download(() => 0, 200, 2),
      bytes / 8 + 8 * mega,
    ),
  };
}

/**
 * Large bodies: a gigabyte each way, over HTTP/1.1 and h2c, which must never be in memory.
 *
 *   client ──multipart──▶ dropped │ saved         file ──▶ whole │ half of it, by a range │ to a client that reads slowly
 *   client ──as it is───▶ dropped │ read slowly
 *                    the process's memory over what it had idle is the figure
 *
 * The memory is all that the process has from the system, including buffers outside the heap.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { connect, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Figure, Group, Measurement } from "../rows.ts";
import type { Settings } from "../settings.ts";

const mega = 1_048_576;
/** The memory that a body of any size may cost, in MB. */
const mostMega = 64;
const word = "the middle";

/** A request in progress: the writer of its body, and its response. */
interface Asked {
  readonly body: Writable;
  readonly response: Promise<{ readonly status: number | undefined; readonly body: Readable }>;
}
type Ask = (port: number, method: string, path: string, headers?: Record<string, string | number>) => Asked;

const protocols: Readonly<Record<string, Ask>> = {
  "HTTP/1.1": (port, method, path, headers = {}) => {
    const sent = request({ port, host: "127.0.0.1", method, path, headers, agent: false });
    const responding = once(sent, "response") as Promise<[IncomingMessage]>;
    return { body: sent, response: responding.then(([body]) => ({ status: body.statusCode, body })) };
  },
  h2c: (port, method, path, headers = {}) => {
    const session = connect(`http://127.0.0.1:${port}`);
    const stream = session.request({ ":method": method, ":path": path, ...headers }, { endStream: false });
    stream.once("close", () => session.destroy());
    const responding = once(stream, "response") as Promise<[IncomingHttpHeaders & IncomingHttpStatusHeader]>;
    return { body: stream, response: responding.then(([head]) => ({ status: head[":status"], body: stream })) };
  },
};

/** The running process, and the folder with the large file in it. */
interface Large {
  readonly ask: Ask;
  readonly port: number;
  readonly bytes: number;
  readonly folder: string;
  tell(question: "idle" | "peak"): Promise<number>;
}

/** Transfers something, and returns the number of content bytes on the wire. @throws Error if it is wrong */
type Transfer = (large: Large, bytes: number) => Promise<number>;

const boundary = "large-body";
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n`;
const end = `\r\n--${boundary}--\r\n`;

function* piecesOf(bytes: number, before: string, behind: string): Generator<Buffer> {
  const block = Buffer.alloc(65_536, "0123456789abcdef\r\n");
  yield Buffer.from(before);
  for (let left = bytes; left > 0; left -= block.length) yield block.subarray(0, left);
  yield Buffer.from(behind);
}

/** @param isForm a file with this many bytes in a form. Otherwise they are the body */
const upload =
  (path: string, isForm = true): Transfer =>
  async ({ ask, port }, bytes) => {
    const [before, behind] = isForm ? [head, end] : ["", ""];
    const { body, response } = ask(port, "POST", path, {
      "content-type": isForm ? `multipart/form-data; boundary=${boundary}` : "application/octet-stream",
      "content-length": before.length + bytes + behind.length,
    });
    await pipeline(Readable.from(piecesOf(bytes, before, behind), { objectMode: false }), body);
    const text = (await (await response).body.toArray()).join("");
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

/** @param pauseMs pause after each chunk, without reading */
const download =
  (from: (bytes: number) => number, status: number, pauseMs = 0): Transfer =>
  async ({ ask, port, bytes: whole }, bytes) => {
    const first = from(whole);
    const range = `bytes=${first}-${Math.min(whole, first + bytes) - 1}`;
    const sent = ask(port, "GET", "/files/large.bin", status === 206 ? { range } : {});
    sent.body.end();
    const response = await sent.response;
    let got = 0;
    let start = "";
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      if (got === 0) start = chunk.toString("latin1", 0, word.length);
      got += chunk.length;
      if (pauseMs > 0) await setTimeout(pauseMs);
      if (status === 200 && got >= bytes) break;
    }
    const isRight = response.status === status && (first === 0 || start === word);
    if (!isRight) throw new Error(`the download is ${response.status}, and begins with ${JSON.stringify(start)}`);
    return got;
  };

async function measured(large: Large, transfer: Transfer, bytes: number): Promise<Figure> {
  await transfer(large, Math.min(bytes, 8 * mega)); // Loads the code and buffers that every such request needs.
  const idle = await large.tell("idle");
  const since = performance.now();
  const moved = await transfer(large, bytes);
  const seconds = (performance.now() - since) / 1_000;
  const over = (await large.tell("peak")) / mega;
  return {
    figure:
      `${Math.round(moved / mega)} MiB at ${Math.round(moved / mega / seconds)} MiB/s, ` +
      `${over.toFixed(1)} MiB over the ${Math.round(idle / mega)} MiB of the idle process`,
    target: `at most ${mostMega} MiB over`,
    met: over <= mostMega,
  };
}

async function start(
  node: string,
  protocol: string,
  ask: Ask,
  bytes: number,
): Promise<Large & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "large-"));
  // Sparse, so it takes no space on disk.
  const file = openSync(join(folder, "large.bin"), "w");
  writeSync(file, word, bytes / 2);
  truncateSync(join(folder, "large.bin"), bytes);
  const script = fileURLToPath(new URL("./large-process.js", import.meta.url));
  const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
  const child: ChildProcess = spawn(node, ["--expose-gc", script, folder, protocol], { stdio: [...stdio] });
  const exit = once(child, "exit").then(() => Promise.reject(new Error("the process ended before it listened")));
  const [{ port }] = (await Promise.race([once(child, "message"), exit])) as [{ port: number }];
  exit.catch(() => undefined);
  return {
    ask,
    port,
    bytes,
    folder,
    async tell(question) {
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

/** The transfers, and how many bytes each moves of a file of this size. */
const transfers: Readonly<Record<string, readonly [Transfer, moved: (bytes: number) => number]>> = {
  "upload, dropped": [upload("/drop"), (bytes) => bytes],
  "upload, saved": [save, (bytes) => bytes],
  "body, dropped": [upload("/body", false), (bytes) => bytes],
  "body, read slowly": [upload("/slow", false), (bytes) => bytes / 8],
  "static file": [download(() => 0, 200), (bytes) => bytes],
  "static file, its second half": [download((whole) => whole / 2, 206), (bytes) => bytes],
  // The client gets chunks of 64 KiB or less: some 30 MB in a second.
  "static file, read slowly": [download(() => 0, 200, 2), (bytes) => bytes / 8 + 8 * mega],
};

/** The transfers of the short form over HTTP/2: streams have their own windows, the rest is as over HTTP/1.1. */
const brief: readonly string[] = ["upload, saved", "body, read slowly", "static file"];

/** A row for each transfer over each protocol, each in a separate process. */
export function largeRows({ node, fast }: Settings): Group {
  const bytes = (fast ? 128 : 1_024) * mega;
  const row =
    (protocol: string, ask: Ask, [transfer, moved]: readonly [Transfer, (bytes: number) => number]): Measurement =>
    async () => {
      const large = await start(node, protocol, ask, bytes);
      return await measured(large, transfer, moved(bytes)).finally(() => large.stop());
    };
  const rows = Object.entries(protocols).flatMap(([protocol, ask]) =>
    Object.entries(transfers)
      .filter(([name]) => !fast || protocol !== "h2c" || brief.includes(name))
      .map(([name, transfer]) => [`large body: ${name}, over ${protocol}`, row(protocol, ask, transfer)] as const),
  );
  return Object.fromEntries(rows);
}

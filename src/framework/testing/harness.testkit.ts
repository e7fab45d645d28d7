/** Shared by the framework tests: a raw HTTP client, and an app that logs into arrays. */
import { connect, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Framework, type FrameworkOptions } from "../index.ts";

/** One response as received. */
export interface RawResponse {
  readonly status: number;
  /** Lower-case names, with repeated fields as an array. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

/** An app on a free port, and everything it logged. */
export interface Served {
  readonly app: Framework;
  readonly port: number;
  readonly warnings: string[];
  readonly errors: { line: string; error: unknown }[];
}

/** Waits until `ready` is true. The runner's timeout is the bound. */
export async function until(ready: () => boolean): Promise<void> {
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Runs a full garbage collection. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/** An app that logs into arrays, configured and not started. */
export function created(options: FrameworkOptions = {}): Omit<Served, "port"> {
  const warnings: string[] = [];
  const errors: { line: string; error: unknown }[] = [];
  const logger = {
    warn: (line: string) => void warnings.push(line),
    error: (line: string, error?: unknown) => void errors.push({ line, error }),
  };
  return { app: Framework.create({ shutdownGraceMs: 200, host: "127.0.0.1", ...options, logger }), warnings, errors };
}

/** Starts an app on a free port, during `use`. */
export async function serving<T>(
  define: (app: Framework) => unknown,
  use: (served: Served) => Promise<T>,
  options: FrameworkOptions = {},
): Promise<T> {
  const made = created(options);
  define(made.app);
  await made.app.start(0);
  try {
    return await use({ ...made, port: made.app.port });
  } finally {
    await made.app.stop({ graceMs: 50 });
  }
}

/** A socket, and the data received so far. */
export interface Wire {
  readonly socket: Socket;
  text(): string;
  readonly closed: Promise<void>;
}

/** Opens a socket and sends `bytes`. */
export function wire(port: number, bytes: string | Uint8Array = ""): Wire {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => void chunks.push(chunk));
  socket.on("error", () => undefined);
  if (bytes.length > 0) socket.write(bytes);
  return {
    socket,
    text: () => Buffer.concat(chunks).toString("latin1"),
    closed: new Promise((resolve) => void socket.once("close", () => resolve())),
  };
}

/** Sends `bytes` and returns every response until the server closes. */
export async function exchange(port: number, bytes: string | Uint8Array): Promise<RawResponse[]> {
  const { closed, text } = wire(port, bytes);
  await closed;
  return responsesOf(text());
}

/** One request on a separate connection. */
export async function ask(
  port: number,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): Promise<RawResponse> {
  const length =
    body === "" && !["POST", "PUT", "PATCH", "QUERY"].includes(method)
      ? {}
      : { "Content-Length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ Host: "localhost", Connection: "close", ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const { closed, text } = wire(port, `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  await closed;
  const [response] = responsesOf(text(), method === "HEAD");
  if (response === undefined) throw new Error("no response came");
  return response;
}

/** Splits a byte stream (as latin1) into responses. */
export function responsesOf(text: string, bodyless = false): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  while (rest.startsWith("HTTP/1.1 ")) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) break;
    const [head = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers: Record<string, string | string[]> = {};
    for (const line of lines) {
      const name = line.slice(0, line.indexOf(":")).toLowerCase();
      const value = line.slice(line.indexOf(":") + 1).trim();
      const earlier = headers[name];
      headers[name] = earlier === undefined ? value : [...(Array.isArray(earlier) ? earlier : [earlier]), value];
    }
    const status = Number(head.slice(9, 12));
    rest = rest.slice(end + 4);
    let body = "";
    if (headers["transfer-encoding"] === "chunked" && !bodyless) {
      for (;;) {
        const line = rest.indexOf("\r\n");
        const size = Number.parseInt(rest.slice(0, line), 16);
        if (line < 0 || Number.isNaN(size)) break;
        body += rest.slice(line + 2, line + 2 + size);
        rest = rest.slice(line + 4 + size);
        if (size === 0) break;
      }
    } else if (!bodyless) {
      const length = Number(headers["content-length"] ?? 0);
      body = rest.slice(0, length);
      rest = rest.slice(length);
    }
    delete headers["date"];
    responses.push({ status, headers, body: Buffer.from(body, "latin1").toString("utf8") });
  }
  return responses;
}

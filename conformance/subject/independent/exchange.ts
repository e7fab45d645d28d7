/**
 * One request and one reply, on plain node:http, for the other files of the independent subject.
 *
 * Written from spec/errors.md and spec/context.md.
 */
import { type IncomingMessage, STATUS_CODES } from "node:http";
import { gunzipSync, inflateSync } from "node:zlib";

/** A whole response. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array;
  /** More after the body, only as fast as the client reads. */
  readonly more?: Iterable<string>;
  /** Cut the connection after the body instead of ending it. */
  readonly cut?: boolean;
}

/** What a handler knows about a request. */
export interface Received {
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly contentType: string | undefined;
  readonly request: IncomingMessage;
  /** The current MetricsSnapshot. */
  readonly metrics: () => object;
}

/** Thrown to respond with an error status. */
export class Rejection extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly issues: readonly object[] | undefined;

  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    issues?: readonly object[],
  ) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.issues = issues;
  }
}

/** Phrases of RFC 9110 that differ from Node's. */
const titles: Readonly<Record<number, string>> = { 413: "Content Too Large", 422: "Unprocessable Content" };

/** A response in JSON. */
export function json(value: unknown, status = 200): Reply {
  return { status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) };
}

/** RFC 9457. Any error except a Rejection is a 500 without details. */
export function problem(error: unknown): Reply {
  const { status, message, headers, issues } = error instanceof Rejection ? error : new Rejection(500, "");
  const title = titles[status] ?? STATUS_CODES[status] ?? "Error";
  const detail = message === "" ? {} : { detail: message };
  const body = { type: "about:blank", title, status, ...detail, ...listed(issues) };
  return { status, headers: { ...headers, "Content-Type": "application/problem+json" }, body: JSON.stringify(body) };
}

/** At most a hundred issues, and the number of the others. */
function listed(issues: readonly object[] | undefined): object {
  if (issues === undefined) return {};
  return issues.length <= 100 ? { errors: issues } : { errors: issues.slice(0, 100), moreErrors: issues.length - 100 };
}

const maxBody = 1_048_576;
const utf8 = new TextDecoder("utf-8", { fatal: true });

const charset = /;\s*charset="?([^\s";]+)/i;

/** The body as text: 413 over the limit, 415 for a charset other than UTF-8, 400 if it is not UTF-8. */
export async function textOf(request: IncomingMessage): Promise<string> {
  // The rest is read and dropped: a client that still writes would lose the response with its connection.
  const tooLarge = new Rejection(413, `a body may have ${maxBody} bytes`);
  const types = request.headersDistinct["content-type"] ?? [];
  if (new Set(types).size > 1) throw new Rejection(400, "the Content-Types differ");
  const [, named = "utf-8"] = charset.exec(types[0] ?? "") ?? [];
  if (named.toLowerCase() !== "utf-8") throw new Rejection(415, "UTF-8 is read here");
  const decode = decoderOf(request);
  if (Number(request.headers["content-length"] ?? 0) > maxBody) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const pieces: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of pieces) {
    size += chunk.length;
    if (size > maxBody) throw tooLarge;
    chunks.push(chunk);
  }
  try {
    return utf8.decode(decode(Buffer.concat(chunks)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge;
    throw new Rejection(400, "the body is not UTF-8, or not in its coding");
  }
}

/** Decoders by coding, with a limit on their output. */
const decoders = { gzip: gunzipSync, "x-gzip": gunzipSync, deflate: inflateSync } as const;

/** The decoder of a body's coding: 415 for an unknown one. */
function decoderOf({ headers }: IncomingMessage): (bytes: Buffer) => Buffer {
  const coding = (headers["content-encoding"] ?? "identity").toLowerCase();
  if (coding === "identity") return (bytes) => bytes;
  const decoder = Object.entries(decoders).find(([name]) => name === coding)?.[1];
  if (decoder !== undefined) return (bytes) => decoder(bytes, { maxOutputLength: maxBody });
  throw new Rejection(415, "gzip and deflate are decoded here", { "Accept-Encoding": "gzip, deflate" });
}

/** The JSON value of the body: 415 for another type, 400 if it cannot be parsed. */
export async function jsonOf(request: IncomingMessage): Promise<unknown> {
  const [contentType, ...more] = request.headersDistinct["content-type"] ?? [];
  if (more.some((other) => other !== contentType)) throw new Rejection(400, "the Content-Types differ");
  const type = mediaType(contentType);
  if (type === undefined || !/^application\/json$|\+json$/.test(type)) throw new Rejection(415, "JSON is read here");
  const text = await textOf(request);
  try {
    return JSON.parse(text, (key, value: unknown) => {
      const reaches = key === "constructor" && typeof value === "object" && value !== null;
      if (key === "__proto__" || (reaches && Object.hasOwn(value, "prototype"))) throw new Error(key);
      return value;
    });
  } catch {
    throw new Rejection(400, "the body is not JSON that is taken here");
  }
}

/** The media type in lower case, without parameters, or undefined if it is missing or malformed. */
export function mediaType(contentType: string | undefined): string | undefined {
  const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
  const parameter = `\\s*;\\s*${token}=(?:${token}|"(?:[^"\\\\]|\\\\.)*")`;
  return new RegExp(`^(${token}/${token})(?:${parameter})*\\s*;?\\s*$`).exec(contentType ?? "")?.[1]?.toLowerCase();
}

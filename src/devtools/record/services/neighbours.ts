/**
 * Services: the applications on this machine that a run of this one called, and their devtools' data about the run there.
 *
 *   response with X-Framework-Run ──▶ learn ──▶ the leaf's `run: { origin, id }`
 *   …/api/remote?origin=A&id=… ──▶ is A known? ──▶ GET A/framework/dev/api/run?id=… ──▶ ServiceRun
 *                 origin=A&origin=B ──────────────▶ GET A/…/api/remote?origin=B&id=…
 *
 * Only an origin that has named a run to this process is asked, only by GET, only at an address of this machine. No
 * redirect is followed, and the response is bounded in size and time.
 */
import type { IncomingMessage, RequestOptions } from "node:http";
import { isServiceRun } from "../../run/read-run.ts";
import type { RunReference } from "../../run/shapes.ts";
import { RUN_HEADER } from "../../run/wire.ts";
import type { SentHeaders } from "./sent-headers.ts";
import { isLocalHost, isLoopback } from "./this-machine.ts";
import { jsonOf } from "../../run/values.ts";

const maxOrigins = 64;
/** The most applications in a row. */
const maxRow = 8;
const maxBytes = 4_194_304;
const patienceMs = 2_000;
const headerName = RUN_HEADER.toLowerCase();
const named = /^([A-Za-z0-9-]{1,64}\.[1-9]\d{0,15});at=(\/[A-Za-z0-9._~!$&'()*+,;=:@%/-]{0,256})$/;
const runId = /^[A-Za-z0-9-]{1,64}\.[1-9]\d{0,15}$/;

/** Whether this is `<instance>.<run>`. */
export const isRunId = (text: string | undefined): text is string => text !== undefined && runId.test(text);

/** The header that names a run to the calling service. @param at the path of devtools */
export const runHeader = (instance: string, run: number, at: string): string => `${instance}.${run};at=${at}`;

/** Whether the client is a service on this machine, without the headers of a browser or proxy. */
export function isNeighbour(address: string | undefined, { host, isForwarded }: SentHeaders): boolean {
  if (isForwarded) return false;
  if (address !== last.address || host !== last.host)
    last = { address, host, isHere: isLoopback(address) && isLocalHost(host ?? "") };
  return last.isHere;
}

/** Most requests come from the same place as the one before, and to the same name. */
let last: { readonly address: string | undefined; readonly host: string | undefined; readonly isHere: boolean } = {
  address: undefined,
  host: undefined,
  isHere: false,
};

/** The result: the text of a ServiceRun, or why there is none. */
export type NeighbourReply = { readonly text: string } | { readonly status: 404 | 502; readonly reason: string };

/** The applications on this machine that have named a run. */
export class Neighbours {
  /** The path of devtools, by origin. */
  readonly #paths = new Map<string, string>();

  /** The run in a response's header, if it comes from this machine. */
  learn(origin: string, headers: readonly (readonly [name: string, value: string])[]): RunReference | undefined {
    const values = headers.filter(([name]) => name.toLowerCase() === headerName);
    const [, id, at] = named.exec(values[0]?.[1] ?? "") ?? [];
    const whole = originOf(origin);
    if (values.length !== 1 || id === undefined || at === undefined || whole === undefined) return undefined;
    this.#paths.delete(whole);
    this.#paths.set(whole, at);
    for (const [oldest] of this.#paths) {
      if (this.#paths.size <= maxOrigins) break;
      this.#paths.delete(oldest);
    }
    return { origin: whole, id };
  }

  /** The first origin's reply about the run, its own or one of a service after it. Never rejects. */
  async ask(origins: readonly string[], id: string): Promise<NeighbourReply> {
    const [first, ...behind] = origins;
    const path = first === undefined ? undefined : this.#paths.get(first);
    if (first === undefined || path === undefined || behind.length >= maxRow || !isRunId(id))
      return { status: 404, reason: "no application at this origin has named a run to this one" };
    const query = new URLSearchParams([...behind.map((origin) => ["origin", origin]), ["id", id]]);
    try {
      return await read(`${first}${path}/api/${behind.length === 0 ? "run" : "remote"}?${query}`, first);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { status: 502, reason: `the application at ${first} could not be asked: ${reason}` };
    }
  }
}

/** The origin, if its name is one of this machine; other names may lead anywhere. */
function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, hostname, origin } = new URL(text);
  const isHttp = protocol === "http:" || protocol === "https:";
  return isHttp && isLocalHost(host) && !hostname.endsWith(".localhost") ? origin : undefined;
}

/** Reads a ServiceRun. @throws (rejects) Error that says why it could not be */
async function read(url: string, origin: string): Promise<NeighbourReply> {
  const signal = AbortSignal.timeout(patienceMs);
  const late = (error: unknown): never => {
    throw signal.aborted ? new Error(`it has not responded in ${patienceMs} ms`) : error;
  };
  const response = await get(url, signal).catch(late);
  const { statusCode = 0 } = response;
  if (statusCode !== 200) response.destroy();
  if (statusCode === 404) return { status: 404, reason: `the application at ${origin} does not hold this run` };
  if (statusCode !== 200)
    return { status: 502, reason: `the application at ${origin} responded with ${statusCode}${hintOf(statusCode)}` };
  const text = await textOf(response).catch(late);
  if (!isServiceRun(jsonOf(text))) throw new Error("what it sent is no run of this version of devtools");
  return { text };
}

const hintOf = (status: number): string =>
  status === 403 ? ": its devtools ask for a token, or do not serve this machine" : "";

/** One request on a separate connection, without an agent or redirects. Node's client is loaded when it is needed. */
async function get(url: string, signal: AbortSignal): Promise<IncomingMessage> {
  const { request } = await (url.startsWith("https:") ? import("node:https") : import("node:http"));
  const headers = { accept: "application/json", connection: "close" };
  const options: RequestOptions = { method: "GET", agent: false, signal, lookup: await lookupHere(), headers };
  return new Promise((resolve, reject) => void request(url, options, resolve).on("error", reject).end());
}

/** Resolves a name, and only finds addresses of this machine. */
async function lookupHere(): Promise<NonNullable<RequestOptions["lookup"]>> {
  const { lookup } = await import("node:dns");
  return (hostname, options, found) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const here = error === null ? addresses.filter(({ address }) => isLoopback(address)) : [];
      const [first] = here;
      if (first === undefined) return found(error ?? new Error(`${hostname} is not this machine`), "", 0);
      return options.all === true ? found(null, here) : found(null, first.address, first.family);
    });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`it sent more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

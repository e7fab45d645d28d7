/**
 * One response of each status and method that a subject has, for the clauses that speak of every response. What a
 * subject lacks it responds to with 404, which is a response like another.
 */
import type { Probe, SendOptions } from "./probe.ts";
import type { HttpResponse } from "./response.ts";

const text = { "content-type": "text/plain" };
const requests: readonly (readonly [method: string, target: string, options?: SendOptions])[] = [
  ["GET", "/users/1"],
  ["HEAD", "/users/1"],
  ["OPTIONS", "/users/1"],
  ["DELETE", "/users/1"],
  ["PATCH", "/users/1"],
  ["PUT", "/users/1"],
  ["PROPFIND", "/users/1"],
  ["MKCOL", "/users/1"],
  ["POST", "/orders", { json: { item: "tea", total: 1 } }],
  ["POST", "/orders", { json: {} }],
  ["POST", "/echo", { headers: text, body: "x" }],
  ["QUERY", "/search", { json: {} }],
  ["GET", "/returns/response"],
  ["GET", "/returns/nothing"],
  ["GET", "/returns/stream"],
  ["GET", "/returns/error"],
  ["GET", "/events/1"],
  ["GET", "/cached/10", { headers: { "if-none-match": "*" } }],
  ["GET", "/cached/10", { headers: { "if-match": '"other"' } }],
  ["GET", "/assets/digits.txt", { headers: { range: "bytes=0-0" } }],
  ["GET", "/assets/digits.txt", { headers: { range: "bytes=1000-" } }],
  ["GET", "/assets/sub"],
  ["GET", "/private/basic"],
  ["GET", "/fail/400"],
  ["GET", "/nowhere"],
  ["GET", "/files/private/a"],
  ["GET", "/fail/402"],
  ["GET", "/fail/418"],
  ["GET", "/fail/503"],
  ["GET", "/boom"],
  ["GET", "/health"],
  ["GET", "/ws/nobody"],
  ["GET", "/ws/plain"],
];

/**
 * A POST to /echo that announces a body of this length. Over HTTP/1.1 none of it is sent: who still writes when the
 * server closes the connection may lose its response.
 */
export async function announced(
  probe: Probe,
  length: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse | undefined> {
  if (!probe.speaksHttp1) return probe.send("POST", "/echo", { json: "x".repeat(length), headers });
  const fields = { Host: probe.base.host, "Content-Type": "application/json", "Content-Length": length, ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return (await probe.raw(`POST /echo HTTP/1.1\r\n${lines.join("")}\r\n`, { responses: 1 })).responses[0];
}

/** Sends each with these headers, and what is asked too often as one client; the responses by what was asked. */
export async function everyResponse(
  probe: Probe,
  headers: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, HttpResponse>> {
  const found = new Map<string, HttpResponse>();
  const limited: typeof requests = Array.from({ length: 4 }, () => ["GET", "/limited/every"]);
  for (const [method, target, options = {}] of [...requests, ...limited]) {
    const response = await probe.send(method, target, { ...options, headers: { ...options.headers, ...headers } });
    found.set(`${method} ${target} ${response.status}`, response);
  }
  const large = await announced(probe, 1_048_577, headers);
  if (large !== undefined) found.set(`POST /echo ${large.status}`, large);
  return found;
}

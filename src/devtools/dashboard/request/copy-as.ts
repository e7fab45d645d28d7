/**
 * A request as text for another tool. Pure. What was redacted stays redacted.
 */

import type { OutgoingRequest } from "./receive.ts";

/** A shell command for POSIX shells; every value in single quotes. `base` is the origin, and a mount behind it. */
export function toCurl(base: string, request: OutgoingRequest): string {
  const method =
    request.method === "GET" ? [] : request.method === "HEAD" ? ["--head"] : [`--request ${quote(request.method)}`];
  const headers = request.headers.map(
    ([name, value]) => `--header ${quote(value === "" ? `${name};` : `${name}: ${value}`)}`,
  );
  const body = request.body === undefined ? [] : [`--data-raw ${quote(request.body)}`];
  return [`curl --globoff ${quote(base + request.url)}`, ...method, ...headers, ...body].join(" \\\n  ");
}

/** A `fetch` call. */
export function toFetch(base: string, request: OutgoingRequest): string {
  const init = {
    method: request.method,
    headers: request.headers,
    ...(request.body === undefined ? {} : { body: request.body }),
  };
  return `await fetch(${JSON.stringify(base + request.url)}, ${JSON.stringify(init, null, 2)});`;
}

/** A `node:test` case that repeats the request and checks the status. */
export function toTest(base: string, request: OutgoingRequest, status: number): string {
  return [
    `import { test } from "node:test";`,
    `import assert from "node:assert/strict";`,
    ``,
    `test(${JSON.stringify(`${request.method} ${request.url} responds with ${status}`)}, async () => {`,
    `  const response = ${toFetch(base, request).replaceAll("\n", "\n  ")}`,
    `  assert.equal(response.status, ${status});`,
    `});`,
  ].join("\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A WebSocket route: which requests reach its handler, and the responses to the others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequestContext } from "../http/request-context.ts";
import { HttpError } from "../internal/errors.ts";
import { checkUpgrade } from "./upgrade-check.ts";

/** The response to such a request, or undefined when its handler runs. */
function rejected(httpVersion: string, fields: Readonly<Record<string, string>>, upgrade?: object): unknown {
  const exchange = { httpVersion, method: "GET", header: (name: string) => fields[name], upgrade };
  try {
    return checkUpgrade({ exchange } as unknown as RequestContext);
  } catch (error) {
    assert.ok(error instanceof HttpError);
    return [error.status, error.message, error.headers];
  }
}

describe("checkUpgrade", () => {
  const asking = { upgrade: "websocket", connection: "Upgrade" };

  it("accepts an opening handshake when the connection can be upgraded", () => {
    assert.deepEqual([rejected("1.1", asking, {}), rejected("2", {}, {})], [undefined, undefined]);
  });

  it("asks for an upgrade over HTTP/1.1, and for an extended CONNECT over HTTP/2", () => {
    const byField = { Upgrade: "websocket", Connection: "Upgrade" };
    assert.deepEqual(rejected("1.1", {}, {}), [426, "a WebSocket is here: ask for an upgrade to it", byField]);
    assert.deepEqual(rejected("2", asking), [
      501,
      "a WebSocket is here: open it by an extended CONNECT (RFC 8441), or over HTTP/1.1",
      {},
    ]);
  });

  it("responds 501 when the connection cannot be upgraded", () => {
    assert.deepEqual(rejected("1.1", asking), [
      501,
      "this connection cannot be upgraded: the server hands none over, or the request is not alone on it",
      {},
    ]);
  });
});

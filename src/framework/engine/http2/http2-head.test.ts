/** Heads on HTTP/2: rejected requests, header lines, and the names of response headers. */
import { deepEqual, equal } from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http2";
import { describe, it } from "node:test";
import { headRejection, opensWebSocket, requestLineCount, requestLines, responseHead } from "./http2-head.ts";

describe("headRejection", () => {
  const sound = { ":method": "GET", ":path": "/", ":authority": "h" };
  const cases: Readonly<Record<string, readonly [head: IncomingHttpHeaders, status: number | undefined]>> = {
    "a sound head": [sound, undefined],
    "a Host that says the same": [{ ...sound, host: "h" }, undefined],
    "a Host alone": [{ ":method": "GET", ":path": "/", host: "h" }, undefined],
    "a Host that says something else": [{ ...sound, host: "other" }, 400],
    "no path": [{ ":method": "GET", ":authority": "h" }, 400],
    "an empty path": [{ ...sound, ":path": "" }, 400],
    "a blank at the end of a path": [{ ...sound, ":path": "/a " }, 400],
    "a blank at the start of a path": [{ ...sound, ":path": " /a" }, 400],
    "bytes of no ASCII in a path": [{ ...sound, ":path": "/caf\u00e9" }, 400],
    "the first and the last byte that may be in a path": [{ ...sound, ":path": "/!~" }, undefined],
    "the byte behind them": [{ ...sound, ":path": "/\u007f" }, 400],
    CONNECT: [{ ...sound, ":method": "CONNECT" }, 501],
    "CONNECT for another protocol": [{ ...sound, ":method": "CONNECT", ":protocol": "connect-udp" }, 501],
    "CONNECT for a WebSocket": [{ ...sound, ":method": "CONNECT", ":protocol": "WebSocket" }, undefined],
    "CONNECT for a WebSocket without a path": [{ ":method": "CONNECT", ":protocol": "websocket" }, 400],
  };
  for (const [what, [head, status]] of Object.entries(cases))
    it(`has ${String(status)} for ${what}`, () => equal(headRejection(head), status));

  it("accepts a CONNECT only with the protocol of WebSockets", () => {
    equal(opensWebSocket({ ":method": "CONNECT", ":protocol": "WEBSOCKET" }), true);
    equal(opensWebSocket({ ":method": "GET", ":protocol": "websocket" }), false);
    equal(opensWebSocket({ ":method": "CONNECT", ":protocol": "other" }), false);
    equal(opensWebSocket({ ":method": "CONNECT" }), false);
  });
});

describe("requestLines", () => {
  const pseudo = [":method", "GET", ":path", "/", ":authority", "h"];
  const cases: Readonly<
    Record<string, readonly [headers: IncomingHttpHeaders, raw: readonly string[], lines: readonly string[][]]>
  > = {
    "a Host made of the authority, first": [
      { ":authority": "h", "x-a": "1" },
      [...pseudo, "x-a", "1"],
      [
        ["host", "h"],
        ["x-a", "1"],
      ],
    ],
    "its own Host where it is": [
      { ":authority": "h", host: "h" },
      [...pseudo, "x-a", "1", "host", "h", "x-a", "2"],
      [
        ["x-a", "1"],
        ["host", "h"],
        ["x-a", "2"],
      ],
    ],
    "one cookie, where the first crumb was": [
      { ":authority": "h", cookie: "a=1; b=2" },
      [...pseudo, "x-a", "1", "cookie", "a=1", "x-b", "2", "cookie", "b=2"],
      [
        ["host", "h"],
        ["x-a", "1"],
        ["cookie", "a=1; b=2"],
        ["x-b", "2"],
      ],
    ],
    "a name that ends in a colon": [
      { host: "h" },
      [...pseudo, "x:", "1", "host", "h"],
      [
        ["x:", "1"],
        ["host", "h"],
      ],
    ],
  };
  for (const [what, [headers, raw, lines]] of Object.entries(cases))
    it(`gives ${what}, and as many lines as it counts`, () => {
      deepEqual([...requestLines(headers, raw)], lines);
      equal(requestLineCount(headers, raw), lines.length);
    });
});

describe("responseHead", () => {
  it("puts every name in lower case, for any number of names, also the second time", () => {
    const names = Array.from({ length: 600 }, (_, n) => `X-Name-${n}`);
    for (let time = 0; time < 2; time += 1)
      deepEqual(
        Object.keys(
          responseHead(
            200,
            names.flatMap((name) => [name, "x"]),
          ),
        ),
        [":status", ...names.map((name) => name.toLowerCase())],
      );
  });

  it("has fields with any name, also those that every object has", () => {
    deepEqual(Object.entries(responseHead(200, ["constructor", "x", "__proto__", "y", "__proto__", "z"])), [
      [":status", 200],
      ["constructor", "x"],
      ["__proto__", "y, z"],
    ]);
  });

  it("joins repeated fields, keeps cookies apart, and drops fields of a connection", () => {
    const flat = ["Vary", "a", "VARY", "b", "Set-Cookie", "a=1", "set-cookie", "b=2", "Connection", "close", "TE", "x"];
    for (const name of ["Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade", "HTTP2-Settings"])
      flat.push(name, "x");
    deepEqual({ ...responseHead(204, flat) }, { ":status": 204, vary: "a, b", "set-cookie": ["a=1", "b=2"] });
  });
});

/** NodeHttpEngine with input that Node's parser rejects, and input that it wrongly accepts (ROUTE, ERR). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exchange, responsesOf, serving, until, wire } from "../testing/harness.testkit.ts";
import { RequestLoggingMiddleware, type Framework } from "../index.ts";

const close = "Connection: close\r\n";
const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const garbage = "NONSENSE\r\n\r\n";

/** An app with delayed responses, and the status of every line of its access log. */
function subject(
  use: (tools: { port: number; release: () => void; entered: () => number; logged: string[] }) => Promise<void>,
  timeouts = {},
): Promise<void> {
  const logged: string[] = [];
  const waiting: (() => void)[] = [];
  let entered = 0;
  const held = (): Promise<void> => {
    entered += 1;
    return new Promise((resolve) => void waiting.push(resolve));
  };
  const define = (app: Framework): unknown =>
    app
      .use(new RequestLoggingMiddleware({ write: (line) => void logged.push(line.replace(/ \d+us$/, "")) }))
      .get("/held", async () => {
        await held();
        return "held";
      })
      .get("/stream", async function* () {
        yield "first";
        await held();
        yield "last";
      })
      .post("/read", async (ctx) => (await ctx.bodyAsString()).length)
      .post("/copy", (ctx) => ctx.bodyAsStream())
      .post("/ignore", async () => {
        await held();
        return "ignored";
      });
  const release = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return serving(define, ({ port }) => use({ port, release, entered: () => entered, logged }), { timeouts });
}

describe("unparsable input", () => {
  it("gets its response after the requests before it", () =>
    subject(async ({ port, release, entered, logged }) => {
      const client = wire(port, get("/held") + get("/held") + garbage);
      await until(() => entered() === 2);
      release();
      await client.closed;
      assert.deepEqual(
        responsesOf(client.text()).map(({ status, body }) => [status, body.slice(0, 4)]),
        [
          [200, "held"],
          [200, "held"],
          [400, '{"ty'],
        ],
      );
      await until(() => logged.length === 3);
      assert.deepEqual(logged.toSorted(), ["GET /held 200", "GET /held 200", "_OTHER - 400"]);
    }));

  it("gets no response within a stream", () =>
    subject(async ({ port, release, entered }) => {
      const client = wire(port, get("/stream"));
      await until(() => entered() === 1 && client.text().includes("first"));
      for (let i = 0; i < 3; i += 1) client.socket.write(garbage);
      await until(() => client.socket.writableLength === 0);
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.ok(client.text().endsWith("first\r\n"), client.text());
      release();
      await client.closed;
      assert.deepEqual(
        responsesOf(client.text()).map(({ status, body }) => [status, body.slice(0, 9)]),
        [
          [200, "firstlast"],
          [400, '{"type":"'],
        ],
      );
    }));
});

describe("a malformed body", () => {
  const broken = (path: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nZZ\r\n`;

  it("fails the request that reads it with 400, with one log line", () =>
    subject(async ({ port, logged }) => {
      const [response, ...more] = await exchange(port, broken("/read"));
      assert.deepEqual([response?.status, response?.headers["connection"], more], [400, "close", []]);
      assert.deepEqual(logged, ["POST /read 400"]);
    }));

  it("cuts the stream that was made of it", () =>
    subject(async ({ port, logged }) => {
      const { text, closed } = wire(port, broken("/copy"));
      await closed;
      assert.ok(!text().includes("0\r\n\r\n") && !text().includes(" 400 "), text());
      await until(() => logged.length === 1);
    }));

  it("fails the request with 400 immediately, also when it is not read", () =>
    subject(async ({ port, release, entered, logged }) => {
      const client = wire(port, broken("/ignore"));
      await until(() => entered() === 1);
      await client.closed;
      release();
      const statuses = responsesOf(client.text()).map(({ status }) => status);
      assert.deepEqual([statuses, logged], [[400], ["POST /ignore 400"]]);
    }));

  it("fails the request with 408 when it does not arrive in time", () =>
    subject(
      async ({ port, logged }) => {
        const half = "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf";
        const [response, ...more] = await exchange(port, half);
        assert.deepEqual([response?.status, more, logged], [408, [], ["POST /read 408"]]);
      },
      { headersMs: 50, requestMs: 100, checkMs: 20 },
    ));
});

describe("many simultaneous late requests", () => {
  it("each get 408 and a log line, and their connections close", () =>
    subject(
      async ({ port, logged }) => {
        const late = Array.from({ length: 60 }, () => wire(port, "GET /held HTTP/1.1\r\nHost: x\r\nX-Slow: "));
        await Promise.all(late.map(({ closed }) => closed));
        const statuses = late.map(({ text }) => responsesOf(text()).map(({ status }) => status));
        await until(() => logged.length === late.length);
        assert.deepEqual([statuses, logged], [late.map(() => [408]), late.map(() => "_OTHER - 408")]);
      },
      { headersMs: 200, requestMs: 200, checkMs: 400 },
    ));
});

describe("input that the parser accepts", () => {
  const flaws: Readonly<Record<string, readonly [bytes: string, status: number]>> = {
    "no Host": [`GET /held HTTP/1.1\r\n${close}\r\n`, 400],
    "an invalid Host": [`GET /held HTTP/1.1\r\nHost: user@host\r\n${close}\r\n`, 400],
    "a target with an invalid host": [get("http://user@host/held", close), 400],
    "an expectation but 100-continue": [get("/held", `Expect: x\r\n${close}`), 417],
    "two Hosts": [`GET /held HTTP/1.1\r\nHost: a\r\nhOST: a\r\n${close}\r\n`, 400],
    "a fragment": [get("/held#x", close), 400],
    "no version": ["GET /held\r\n\r\n", 505],
    "HTTP/2.0": [`GET /held HTTP/2.0\r\nHost: x\r\n${close}\r\n`, 505],
    "HTTP/1.2": [`GET /held HTTP/1.2\r\nHost: x\r\n${close}\r\n`, 505],
    "HTTP/3.0": [`GET /held HTTP/3.0\r\nHost: x\r\n${close}\r\n`, 505],
    "HTTP/1.10, which is not a version": [`GET /held HTTP/1.10\r\nHost: x\r\n${close}\r\n`, 400],
  };
  for (const [what, [bytes, status]] of Object.entries(flaws))
    it(`ROUTE-014 ROUTE-020 ROUTE-022: ${what} gets ${status}, and is logged once`, () =>
      subject(async ({ port, logged }) => {
        const [response, ...more] = await exchange(port, bytes);
        assert.deepEqual([response?.status, response?.headers["content-type"]], [status, "application/problem+json"]);
        await until(() => logged.length > 0);
        assert.deepEqual([more, logged.length], [[], 1]);
      }));

  it("ROUTE-022: reads nothing after an unmet expectation, since its body may come or not", () =>
    subject(async ({ port, logged }) => {
      const head = "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: x\r\n\r\n";
      for (const body of ["", "abc"]) {
        const responses = await exchange(port, `${head}${body}${get("/held")}`);
        assert.deepEqual(
          responses.map(({ status, headers }) => [status, headers["connection"]]),
          [[417, "close"]],
        );
      }
      await until(() => logged.length === 2);
      assert.deepEqual(logged, ["POST /read 417", "POST /read 417"]);
    }));

  for (const expected of ["100-continue", "100-Continue", ""])
    it(`meets the expectation ${JSON.stringify(expected)}`, () =>
      subject(async ({ port }) => {
        const client = wire(port, `POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: ${expected}\r\n\r\n`);
        if (expected !== "") await until(() => client.text().startsWith("HTTP/1.1 100 Continue\r\n\r\n"));
        client.socket.write("abc");
        await until(() => client.text().endsWith("\r\n\r\n3"));
        client.socket.destroy();
      }));

  it("CONNECT gets 405", () =>
    subject(async ({ port, logged }) => {
      const [response] = await exchange(port, "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n");
      assert.deepEqual([response?.status, logged], [405, ["_OTHER - 405"]]);
    }));

  for (const [what, bytes] of Object.entries({ "a CONNECT": "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", garbage }))
    it(`LOG-014: a client that leaves after ${what} has left the request before, and no line is logged for it`, () =>
      subject(async ({ port, logged, entered }) => {
        const { socket } = wire(port, get("/held") + bytes);
        await until(() => entered() === 1);
        socket.destroy();
        await until(() => logged.length > 0);
        assert.deepEqual(logged, ["GET /held 499"]);
      }));
});

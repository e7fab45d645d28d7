/** NodeHttpEngine after a response that closes its connection (ERR, RFC 9112 §9.6). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { responsesOf, serving, until, wire } from "../testing/harness.testkit.ts";
import { RequestLoggingMiddleware, type Context, type Framework } from "../index.ts";

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
/** Between its body and the next bytes, Node's parser lets all other due work run. */
const post = "POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";

/** Sends the bytes. Returns the response statuses, the handled requests and the log. */
async function told(bytes: string, lines: number): Promise<{ statuses: unknown; handled: string[]; logged: string[] }> {
  const handled: string[] = [];
  const logged: string[] = [];
  let release = (): void => undefined;
  const noted = (ctx: Context): string => {
    handled.push(ctx.path);
    return "noted";
  };
  const define = (app: Framework): unknown =>
    app
      .use(new RequestLoggingMiddleware({ write: (line) => void logged.push(line.replace(/ \d+us$/, "")) }))
      .get("/last", (ctx) => {
        ctx.setHeader("Connection", "Close, x");
        return noted(ctx);
      })
      .get("/late", async (ctx) => {
        await new Promise<void>((resolve) => (release = resolve));
        ctx.setHeader("connection", "close");
        return noted(ctx);
      })
      .get("/streamed", async function* (ctx) {
        await Promise.resolve();
        yield noted(ctx);
      })
      .get("/other", async (ctx) => {
        await Promise.resolve();
        return noted(ctx);
      })
      .get("/after", async (ctx) => {
        release();
        await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
        return noted(ctx);
      })
      .post("/other", noted);
  let statuses: unknown;
  await serving(define, async ({ port }) => {
    const { text, closed } = wire(port, bytes);
    await closed;
    statuses = responsesOf(text()).map(({ status }) => status);
    await until(() => logged.length >= lines);
  });
  return { statuses, handled, logged };
}

describe("after a response that closes the connection", () => {
  const behind: Readonly<Record<string, string>> = {
    "a request": get("/other"),
    "a stream": get("/streamed"),
    "a request after a body": post + get("/other"),
    "a stream after a body": post + get("/streamed"),
    "unparsable input": "NONSENSE\r\n\r\n",
  };
  for (const [what, bytes] of Object.entries(behind))
    it(`${what} is neither handled nor responded to`, async () => {
      assert.deepEqual(await told(get("/last") + bytes, 1), {
        statuses: [200],
        handled: ["/last"],
        logged: ["GET /last 200"],
      });
    });

  it("a request that is already handled learns that its client has left", async () => {
    const { statuses, handled, logged } = await told(get("/late") + get("/after"), 2);
    assert.deepEqual([statuses, handled, logged], [[200], ["/late", "/after"], ["GET /late 200", "GET /after 499"]]);
  });

  it("a client that closes the connection itself gets one response", async () => {
    const closing = "GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const { statuses, handled, logged } = await told(closing + get("/other"), 1);
    assert.deepEqual([statuses, handled, logged], [[200], ["/other"], ["GET /other 200"]]);
  });
});

/** Early hints: sent before the response where the protocol has them, and checked everywhere. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { describe, test } from "node:test";
import { NodeHttp2Engine, type Framework } from "../index.ts";
import { created, serving, wire } from "../testing/harness.testkit.ts";

const style = "</style.css>; rel=preload; as=style";
const script = '</app.js>; rel="preload"; as=script; crossorigin';

const hinting = (app: Framework): unknown =>
  app.get("/", async (ctx) => {
    ctx.earlyHints(style).earlyHints([style, script]);
    await new Promise(setImmediate);
    return "page";
  });

/** Everything that a server sends for one request. */
async function sent(version: string): Promise<string> {
  return serving(hinting, async ({ port }) => {
    const { text, closed } = wire(port, `GET / HTTP/${version}\r\nHost: h\r\nConnection: close\r\n\r\n`);
    await closed;
    return text();
  });
}

describe("ctx.earlyHints", () => {
  test("sends 103 with the links over HTTP/1.1, before the response", async () => {
    const [first, second, response] = (await sent("1.1")).split("HTTP/1.1 ").slice(1);
    assert.equal(first, `103 Early Hints\r\nLink: ${style}\r\n\r\n`);
    assert.equal(second, `103 Early Hints\r\nLink: ${style}, ${script}\r\n\r\n`);
    assert.match(response ?? "", /^200 OK\r\n(?!.*\r\nLink:)[^]*page$/);
  });

  test("sends nothing over HTTP/1.0, which has no 103 (RFC 9110 §15.2)", async () => {
    assert.equal((await sent("1.0")).split("HTTP/1.").length, 2);
  });

  test("sends 103 over HTTP/2", () =>
    serving(
      hinting,
      async ({ port }) => {
        const session = connect(`http://127.0.0.1:${port}`);
        const stream = session.request({ ":path": "/" });
        const hints: unknown[] = [];
        stream.on("headers", ({ ":status": status, link }) => void hints.push([status, link]));
        const [{ ":status": status }] = (await once(stream, "response")) as [Record<string, unknown>];
        stream.resume();
        await once(stream, "end");
        session.close();
        assert.deepEqual(hints, [
          [103, style],
          [103, `${style}, ${script}`],
        ]);
        assert.equal(status, 200);
      },
      { engine: new NodeHttp2Engine() },
    ));

  test("sends nothing through app.fetch, and the response as ever", async () => {
    const { app } = created();
    hinting(app);
    const response = await app.fetch(new Request("http://h/"));
    assert.deepEqual([response.status, await response.text()], [200, "page"]);
  });

  test("is an error when the response is on its way", async () => {
    const { app } = created();
    let late: unknown;
    app.get("/", (ctx) => {
      ctx.onComplete(() => {
        try {
          ctx.earlyHints(style);
        } catch (error) {
          late = error;
        }
      });
      return "page";
    });
    await (await app.fetch(new Request("http://h/"))).text();
    assert.equal((late as { readonly code?: unknown }).code, "RESPONSE_SENT");
  });

  for (const [shown, links] of Object.entries({
    '"/style.css"': "/style.css",
    '"</style.css>"': "</style.css>",
    '"</style.css>; as=style"': "</style.css>; as=style",
    '"</a b.css>; rel=preload"': ["</a.css>; rel=preload", "</a b.css>; rel=preload"],
    '"</ü.css>; rel=preload"': "</ü.css>; rel=preload",
    '"</a>; rel=preload\\r\\nSet-Cookie: a=b"': "</a>; rel=preload\r\nSet-Cookie: a=b",
    '"</a>; rel=preload, </b>; rel=preload"': "</a>; rel=preload, </b>; rel=preload",
    "7": [7],
    "[]": [],
    "{}": {},
  }))
    test(`rejects ${shown}, with a sentence`, async () => {
      const { app } = created();
      let thrown: unknown;
      app.get("/", (ctx) => {
        try {
          ctx.earlyHints(links as string);
        } catch (error) {
          thrown = error;
        }
        return "";
      });
      await app.fetch(new Request("http://h/"));
      const { code, message } = thrown as { readonly code: string; readonly message: string };
      assert.equal(code, "HEADER_INVALID");
      const rest = "is no link: write </style.css>; rel=preload; as=style, or a list of those";
      assert.equal(message, `ctx.earlyHints: ${shown} ${rest}`);
    });
});

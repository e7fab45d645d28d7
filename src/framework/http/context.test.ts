/** The promises of a context to its handlers, over sockets (CTX, MW). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Framework, type Context } from "../index.ts";
import { ask, created, serving, until, wire } from "../testing/harness.testkit.ts";

/** Sends one request to `/` and returns the value of `handler` and the response headers. */
async function asked(
  handler: (ctx: Context) => unknown,
): Promise<{ readonly seen: unknown; readonly response: Response }> {
  let seen: unknown;
  const { app } = created();
  const response = await app
    .get("/", (ctx) => {
      seen = handler(ctx);
      return ctx.responded ? undefined : "";
    })
    .fetch(new Request("http://h/?a=1"));
  return { seen, response };
}

/** The error that `act` throws, or a note that it throws none. */
function thrown(act: () => unknown): string {
  try {
    act();
    return "nothing";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("Context", () => {
  test("gives undefined for a missing query value, header, cookie or attribute", async () => {
    const names = ["b", "toString", "constructor", "__proto__"];
    const { seen } = await asked((ctx) =>
      names.flatMap((name) => [ctx.queryParam(name), ctx.header(name), ctx.cookie(name), ctx.attribute(name)]),
    );
    assert.deepEqual(seen, Array(16).fill(undefined));
  });

  test("rejects header names and values that HTTP does not allow, at the call", async () => {
    const names = ["", "a b", "a:b", "ä", "a\r\nb"];
    const values = ["a\r\nb", "a\nb", "a\0", "\u{1f600}"];
    const { seen, response } = await asked((ctx) => [
      ...names.flatMap((name) => [thrown(() => ctx.setHeader(name, "x")), thrown(() => ctx.appendHeader(name, "x"))]),
      ...values.flatMap((text) => [
        thrown(() => ctx.setHeader("X-A", text)),
        thrown(() => ctx.appendHeader("X-A", text)),
      ]),
    ]);
    assert.equal((seen as readonly string[]).length, 18);
    assert.ok(!(seen as readonly string[]).includes("nothing"), String(seen));
    assert.deepEqual(Object.fromEntries(response.headers), {
      "content-length": "0",
      "content-type": "text/plain; charset=utf-8",
    });
  });

  const varying: Readonly<Record<string, readonly [(ctx: Context) => unknown, string]>> = {
    "nothing else": [() => "x", "Accept-Language"],
    "a Vary of its own": [(ctx) => ctx.setHeader("Vary", "Cookie").text("x"), "Cookie, Accept-Language"],
    "the same name": [(ctx) => ctx.setHeader("Vary", "accept-language").text("x"), "accept-language"],
    "the name again": [(ctx) => ctx.vary("Accept-Language").vary("Origin").text("x"), "Accept-Language, Origin"],
    "a star": [(ctx) => ctx.setHeader("Vary", "*").text("x"), "*"],
    "a web Response": [() => new Response("x", { headers: { vary: "Cookie" } }), "Cookie, Accept-Language"],
    "a stream": [(ctx) => ctx.setHeader("Vary", "Cookie").send(new Blob(["x"]).stream()), "Cookie, Accept-Language"],
    "an error": [() => Promise.reject(new Error("secret")), "Accept-Language"],
  };
  for (const [what, [handler, expected]] of Object.entries(varying))
    test(`keeps the names of ctx.vary() next to ${what}`, async () => {
      const app = Framework.create({ logger: { error: () => undefined } });
      app.get("/", (ctx) => handler(ctx.vary("Accept-Language")));
      const response = await app.fetch(new Request("http://localhost/"));
      assert.equal(response.headers.get("vary"), expected);
    });

  test("rejects an invalid header name, and any name after the head was sent", async () => {
    const { seen } = await asked((ctx) => [thrown(() => ctx.vary("a, b")), thrown(() => (ctx.sse(), ctx.vary("A")))]);
    assert.match(String(seen), /"a, b" is not a header name.*has its response already/);
  });

  test("keeps attributes under symbols apart", async () => {
    const [one, other] = [Symbol("slot"), Symbol("slot")];
    const { seen } = await asked((ctx) => {
      ctx.attribute(one, 1).attribute("slot", 3).attribute("Symbol(slot)", 4);
      return [one, other, "slot"].map((key) => ctx.attribute(key) ?? null);
    });
    assert.deepEqual(seen, [1, null, 3]);
  });

  test("replaces with header(name, value) and adds with appendHeader, whatever the case", async () => {
    const { response } = await asked((ctx) => {
      ctx.appendHeader("X-Set", 1).appendHeader("X-Set", 2).setHeader("x-set", 3);
      ctx.setHeader("X-Added", 1).appendHeader("x-added", 2);
    });
    assert.deepEqual([response.headers.get("x-set"), response.headers.get("x-added")], ["3", "1, 2"]);
  });

  test("does not warn of a silent handler in production", () => {
    const before = process.env["NODE_ENV"];
    process.env["NODE_ENV"] = "production";
    return serving(
      (app) => app.get("/", () => undefined),
      async ({ port, warnings }) => {
        assert.deepEqual([(await ask(port, "GET", "/")).status, warnings], [204, []]);
      },
    ).finally(() => {
      if (before === undefined) delete process.env["NODE_ENV"];
      else process.env["NODE_ENV"] = before;
    });
  });

  test("throws when a second response is recorded, and sends the first", async () => {
    const second: Readonly<Record<string, (ctx: Context) => unknown>> = {
      json: (ctx) => ctx.json({}),
      text: (ctx) => ctx.text("b"),
      html: (ctx) => ctx.html("b"),
      send: (ctx) => ctx.send(new Uint8Array([66])),
      sse: (ctx) => ctx.sse(),
      redirect: (ctx) => ctx.redirect("/b"),
    };
    for (const [name, respond] of Object.entries(second)) {
      const { seen, response } = await asked((ctx) => thrown(() => respond(ctx.text("a"))));
      assert.match(String(seen), /^GET \/ got a second response/, name);
      assert.deepEqual([response.status, await response.text()], [200, "a"], name);
    }
  });

  test("fails the request when a second response is returned", async () => {
    const returned: readonly unknown[] = ["b", {}, new Uint8Array([66]), new Response("b"), new Response(null)];
    for (const value of returned) {
      const { app } = created();
      const response = await app.get("/", (ctx) => (ctx.text("a"), value)).fetch(new Request("http://h/"));
      assert.equal(response.status, 500, String(value));
    }
  });

  test("aborts its signal when the client leaves before the head, and not earlier", () => {
    const seen: boolean[] = [];
    return serving(
      (app) =>
        app.get("/", async (ctx) => {
          seen.push(ctx.signal.aborted);
          await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
          seen.push(ctx.signal.aborted);
        }),
      async ({ port }) => {
        const client = wire(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        await until(() => seen.length === 1);
        client.socket.destroy();
        await until(() => seen.length === 2);
        assert.deepEqual(seen, [false, true]);
      },
    );
  });

  const failing = (app: Framework, last: () => void): Framework =>
    app.get("/", (ctx) => {
      ctx
        .onComplete(() => {
          throw new Error("thrown");
        })
        .onComplete(() => Promise.reject(new Error("rejected")))
        .onComplete(last);
      return "";
    });

  test("runs the other listeners after one that throws or rejects", () => {
    const ran: string[] = [];
    return serving(
      (app) => failing(app, () => void ran.push("last")),
      async ({ port }) => {
        assert.equal((await ask(port, "GET", "/")).status, 200);
        await until(() => ran.length > 0);
        assert.deepEqual(ran, ["last"]);
      },
    );
  });

  test("logs a listener that throws or rejects", () =>
    serving(
      (app) => failing(app, () => undefined),
      async ({ port, errors }) => {
        assert.equal((await ask(port, "GET", "/")).status, 200);
        await until(() => errors.length === 2);
        assert.deepEqual(
          errors.map(({ error }) => (error as Error).message),
          ["thrown", "rejected"],
        );
      },
    ));
});

/** What a context promises its handlers, observed over sockets (CTX, MW). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Context } from "../index.ts";
import { ask, created, serving, until, wire } from "../testing/harness.test.ts";

/** What `handler` gives for one request of `/`, and the answer's headers. */
async function asked(
  handler: (ctx: Context) => unknown,
): Promise<{ readonly seen: unknown; readonly response: Response }> {
  let seen: unknown;
  const { app } = created();
  const response = await app
    .get("/", (ctx) => {
      seen = handler(ctx);
      return ctx.answered ? undefined : "";
    })
    .fetch(new Request("http://h/?a=1"));
  return { seen, response };
}

/** What `act` throws, or that it throws nothing. */
function thrown(act: () => unknown): string {
  try {
    act();
    return "nothing";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("Context", () => {
  test("CTX-002: gives undefined for a query value, header, cookie and attribute that is missing", async () => {
    const names = ["b", "toString", "constructor", "__proto__"];
    const { seen } = await asked((ctx) =>
      names.flatMap((name) => [ctx.queryParam(name), ctx.header(name), ctx.cookie(name), ctx.attribute(name)]),
    );
    assert.deepEqual(seen, Array(16).fill(undefined));
  });

  test("CTX-003: refuses header names and values that HTTP does not allow, at the call", async () => {
    const names = ["", "a b", "a:b", "ä", "a\r\nb"];
    const values = ["a\r\nb", "a\nb", "a\0", "\u{1f600}"];
    const { seen, response } = await asked((ctx) => [
      ...names.flatMap((name) => [thrown(() => ctx.header(name, "x")), thrown(() => ctx.appendHeader(name, "x"))]),
      ...values.flatMap((text) => [thrown(() => ctx.header("X-A", text)), thrown(() => ctx.appendHeader("X-A", text))]),
    ]);
    assert.equal((seen as readonly string[]).length, 18);
    assert.ok(!(seen as readonly string[]).includes("nothing"), String(seen));
    assert.deepEqual(Object.fromEntries(response.headers), {
      "content-length": "0",
      "content-type": "text/plain; charset=utf-8",
    });
  });

  test("CTX-004: replaces with header(name, value) and adds with appendHeader, whatever the case", async () => {
    const { response } = await asked((ctx) => {
      ctx.appendHeader("X-Set", 1).appendHeader("X-Set", 2).header("x-set", 3);
      ctx.header("X-Added", 1).appendHeader("x-added", 2);
    });
    assert.deepEqual([response.headers.get("x-set"), response.headers.get("x-added")], ["3", "1, 2"]);
  });

  test("CTX-006: does not warn of a silent handler in production", () => {
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

  test("CTX-007: throws when a second answer is recorded, and sends the first", async () => {
    const second: Readonly<Record<string, (ctx: Context) => unknown>> = {
      json: (ctx) => ctx.json({}),
      text: (ctx) => ctx.text("b"),
      html: (ctx) => ctx.html("b"),
      send: (ctx) => ctx.send(new Uint8Array([66])),
      sse: (ctx) => ctx.sse(),
      redirect: (ctx) => ctx.redirect("/b"),
    };
    for (const [name, answer] of Object.entries(second)) {
      const { seen, response } = await asked((ctx) => thrown(() => answer(ctx.text("a"))));
      assert.match(String(seen), /^GET \/ got a second answer/, name);
      assert.deepEqual([response.status, await response.text()], [200, "a"], name);
    }
  });

  test("CTX-007: fails the request when a second answer is returned", async () => {
    const returned: readonly unknown[] = ["b", {}, new Uint8Array([66]), new Response("b"), new Response(null)];
    for (const value of returned) {
      const { app } = created();
      const response = await app.get("/", (ctx) => (ctx.text("a"), value)).fetch(new Request("http://h/"));
      assert.equal(response.status, 500, String(value));
    }
  });

  test("CTX-010: aborts its signal when the client leaves before the head, and not before that", () => {
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

  test("MW-009: logs a listener that throws or rejects, and runs the others", () => {
    const ran: string[] = [];
    return serving(
      (app) =>
        app.get("/", (ctx) => {
          ctx
            .onComplete(() => {
              throw new Error("thrown");
            })
            .onComplete(() => Promise.reject(new Error("rejected")))
            .onComplete(() => void ran.push("last"));
          return "";
        }),
      async ({ port, errors }) => {
        assert.equal((await ask(port, "GET", "/")).status, 200);
        await until(() => errors.length === 2);
        assert.deepEqual(
          [ran, errors.map(({ error }) => (error as Error).message)],
          [["last"], ["thrown", "rejected"]],
        );
      },
    );
  });
});

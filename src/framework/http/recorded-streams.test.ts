/** Recorded streams and web Responses: when they are sent, and the notification when they are not (CTX). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createReadStream, type ReadStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { ask, created, serving, until, wire } from "../testing/harness.testkit.ts";
import { HttpError, type Context, type Next, type StreamBody } from "../index.ts";

const here = new URL(import.meta.url);

/** A source of each kind, and whether it learned that it will not be read. */
const sources: Readonly<Record<string, () => { readonly body: StreamBody; readonly isOver: () => boolean }>> = {
  "a file": () => {
    const body: ReadStream = createReadStream(here);
    return { body, isOver: () => body.destroyed };
  },
  "a web stream": () => {
    let cancelled = false;
    return { body: new ReadableStream({ cancel: () => void (cancelled = true) }), isOver: () => cancelled };
  },
  "an iterable": () => {
    let returned = false;
    const iterator: AsyncIterator<string> = {
      next: () => new Promise(() => undefined),
      return: async () => ((returned = true), { done: true, value: undefined }),
    };
    return { body: { [Symbol.asyncIterator]: () => iterator }, isOver: () => returned };
  },
};

/** Ways in which a recorded stream is not sent, by the handler or by the client's request. */
const ways: Readonly<Record<string, { method?: string; handle(ctx: Context, body: StreamBody): unknown }>> = {
  "an error takes its place": {
    handle(ctx, body) {
      ctx.send(body);
      throw new HttpError(409, "taken");
    },
  },
  "HEAD asked for it": { method: "HEAD", handle: (_ctx, body) => body },
  "the status is 204": { handle: (ctx, body) => ctx.status(204).send(body) },
  "the status is 205": { handle: (ctx, body) => ctx.status(205).send(body) },
  "the status is 304": { handle: (ctx, body) => ctx.status(304).send(body) },
};

describe("a recorded stream is dismissed", () => {
  for (const [kind, make] of Object.entries(sources)) {
    for (const [way, { method = "GET", handle }] of Object.entries(ways))
      test(`when ${way}: ${kind}`, async () => {
        const { app } = created();
        const { body, isOver } = make();
        await app.get("/", (ctx) => handle(ctx, body)).fetch(new Request("http://h/", { method }));
        await until(isOver);
      });

    for (const recorded of [true, false])
      test(`when the client left ${recorded ? "after" : "before"} it was recorded: ${kind}`, () => {
        const { body, isOver } = make();
        let isGone = false;
        let isThere = false;
        return serving(
          (app) =>
            app.get("/", async (ctx) => {
              if (recorded) ctx.send(body);
              isThere = true;
              await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
              isGone = true;
              return recorded ? undefined : body;
            }),
          async ({ port }) => {
            const client = wire(port, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
            await until(() => isThere);
            client.socket.destroy();
            await until(() => isGone && isOver());
          },
        );
      });

    test(`when the client leaves while it is idle: ${kind}`, () => {
      const { body, isOver } = make();
      return serving(
        (app) => app.get("/", (ctx) => (ctx.status(200), body)),
        async ({ port }) => {
          const client = wire(port, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
          await until(() => client.text().includes("200 OK"));
          client.socket.destroy();
          await until(isOver);
        },
      );
    });
  }

  test("with the body of a Response that comes too late", () => {
    let cancelled = false;
    let isThere = false;
    return serving(
      (app) =>
        app.get("/", async (ctx) => {
          isThere = true;
          await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
          return new Response(new ReadableStream({ cancel: () => void (cancelled = true) }));
        }),
      async ({ port }) => {
        const client = wire(port, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        await until(() => isThere);
        client.socket.destroy();
        await until(() => cancelled);
      },
    );
  });
});

describe("a recorded stream that fails before it is sent", () => {
  test("is an error like any other and does not end the process", async () => {
    const { app, errors } = created();
    const file = createReadStream("/nowhere/at/all");
    app
      .use(async (_ctx: Context, next: Next) => {
        await next();
        await new Promise<void>((resolve) => void file.once("close", () => resolve()));
      })
      .get("/", () => file);
    const response = await app.fetch(new Request("http://h/"));
    assert.deepEqual([response.status, response.headers.get("content-type")], [500, "application/problem+json"]);
    assert.match(String(errors[0]?.error), /ENOENT/);
  });

  for (const [way, respond] of Object.entries({
    returned: (_ctx: Context, file: ReadStream): unknown => file,
    sent: (ctx: Context, file: ReadStream): unknown => void ctx.send(file),
  }))
    test(`does not end the process when the client left before it is ${way}`, () => {
      let file: ReadStream | undefined;
      let isThere = false;
      return serving(
        (app) =>
          app.get("/", async (ctx) => {
            isThere = true;
            await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
            return respond(ctx, (file = createReadStream("/nowhere/at/all")));
          }),
        async ({ port, errors }) => {
          const client = wire(port, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
          await until(() => isThere);
          client.socket.destroy();
          await until(() => file?.closed === true);
          assert.deepEqual(errors, []);
        },
      );
    });

  test("is dismissed without ending the process when another response was recorded first", async () => {
    const { app, errors } = created();
    const file = createReadStream("/nowhere/at/all");
    app.get("/", (ctx) => (ctx.text("first"), file));
    assert.equal((await app.fetch(new Request("http://h/"))).status, 500);
    await until(() => file.closed);
    assert.deepEqual([file.destroyed, Reflect.get(Object(errors[0]?.error), "code")], [true, "RESPONSE_TWICE"]);
  });

  test("is rejected when another consumer reads it", async () => {
    const { app, errors } = created();
    const locked = new Response("a").body;
    locked?.getReader();
    const used = new Response("a");
    await used.text();
    app.get("/locked", () => locked).get("/used", () => used);
    for (const path of ["/locked", "/used"])
      assert.equal((await app.fetch(new Request(`http://h${path}`))).status, 500);
    assert.deepEqual(
      errors.map(({ error }) => [Reflect.get(Object(error), "code"), String(error).includes("was read already")]),
      [
        ["RESPONSE_VALUE", true],
        ["RESPONSE_VALUE", true],
      ],
    );
  });
});

describe("ctx.committed", () => {
  const handlers: Readonly<Record<string, readonly [(ctx: Context) => unknown, boolean]>> = {
    text: [() => "a", false],
    "a stream": [() => new Response("a").body, false],
    "a Response": [() => new Response("a"), false],
    "events of an iterable": [(ctx) => ctx.sse(new Response("a").body as never), false],
    "an open event stream": [(ctx) => ctx.sse().close(), true],
  };
  for (const [kind, [handler, expected]] of Object.entries(handlers))
    test(`is ${expected} after next, with ${kind}`, async () => {
      const { app } = created();
      const seen: boolean[] = [];
      app.use(async (ctx, next) => {
        seen.push(ctx.committed);
        await next();
        seen.push(ctx.committed);
        ctx.onComplete(() => void seen.push(ctx.committed));
      });
      await (await app.get("/", handler).fetch(new Request("http://h/"))).text();
      await until(() => seen.length === 3);
      assert.deepEqual(seen, [false, expected, true]);
    });
});

describe("a returned response", () => {
  test("is sent without a coding that fetch has decoded, and with one that the app set", async () => {
    const upstream = createServer((_req, res) => {
      const body = gzipSync("hello from upstream");
      res.writeHead(201, { "Content-Encoding": "gzip", "Content-Length": body.length, "X-Up": "1" }).end(body);
    }).listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const { port: upstreamPort } = upstream.address() as AddressInfo;
    try {
      await serving(
        (app) =>
          app
            .get("/proxied", () => fetch(`http://127.0.0.1:${upstreamPort}/`))
            .get("/own", () => new Response(gzipSync("own"), { headers: { "Content-Encoding": "gzip" } })),
        async ({ app }) => {
          const proxied = await fetch(`${app.url}/proxied`);
          assert.deepEqual(
            [proxied.status, proxied.headers.get("x-up"), proxied.headers.get("content-encoding")],
            [201, "1", null],
          );
          assert.equal(await proxied.text(), "hello from upstream");
          const own = await fetch(`${app.url}/own`);
          assert.deepEqual([own.headers.get("content-encoding"), await own.text()], ["gzip", "own"]);
        },
      );
    } finally {
      upstream.closeAllConnections();
      upstream.close();
    }
  });
});

describe("a Content-Length set for a stream", () => {
  const lengths: Readonly<Record<string, readonly [string, RegExp]>> = {
    "that is too small": ["1", /promised 1 bytes and the stream had at least 2/],
    "that is too large": ["3", /promised 3 bytes and the stream had 2/],
    "that is no length": ["1, 2", /"1, 2" is not a number of bytes/],
  };
  for (const [title, [length, message]] of Object.entries(lengths))
    test(`${title} is logged`, async () => {
      const { app, errors } = created();
      app.get("/", (ctx) => ctx.setHeader("Content-Length", length).send(new Response("ab").body ?? new Uint8Array()));
      const response = await app.fetch(new Request("http://h/"));
      const text = await response.text().catch(() => "cut");
      assert.equal(text, length === "1, 2" ? "ab" : "cut");
      assert.equal(errors.length, 1);
      assert.match(String(errors[0]?.error), message);
    });
});

describe("ctx.onChunk", () => {
  const bodies: Readonly<Record<string, readonly [respond: (ctx: Context) => unknown, pieces: readonly string[]]>> = {
    "an iterable": [(ctx) => ctx.send(Readable.from(["a", "b"])), ["a", "b"]],
    "a web Response that is a stream": [
      () => new Response(Readable.toWeb(Readable.from(["a", "b"])) as never),
      ["a", "b"],
    ],
    "nothing of a web Response that is sent whole": [() => Response.json({ a: 1 }), []],
    events: [
      async (ctx) => {
        const stream = ctx.sse();
        await stream.drained();
        stream.send("x");
        stream.close();
      },
      ["data: x\n\n"],
    ],
    "nothing of a body that is sent whole": [() => "whole", []],
  };
  for (const [what, [respond, expected]] of Object.entries(bodies))
    test(`receives each piece of ${what}, and a throwing listener affects nothing else`, () => {
      const heard: string[] = [];
      return serving(
        (app) =>
          app.get("/", (ctx) => {
            ctx.onChunk(() => {
              throw new Error("a listener's own");
            });
            ctx.onChunk(
              (chunk) => void heard.push(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)),
            );
            return respond(ctx);
          }),
        async ({ port, errors }) => {
          const { status, body } = await ask(port, "GET", "/");
          assert.deepEqual([status, heard.join(""), errors], [200, expected.join(""), []]);
          if (expected.length > 0) assert.equal(body, expected.join(""));
        },
      );
    });
});

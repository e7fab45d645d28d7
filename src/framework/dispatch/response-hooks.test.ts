/** `onResponse`: the input, replacements, order and failures of hooks (MW). */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { describe, test } from "node:test";
import { createGzip, gunzipSync } from "node:zlib";
import { created, until } from "../testing/harness.testkit.ts";
import { hosts } from "../testing/clients.testkit.ts";
import { Framework, HttpError, type Context, type RecordedResponse, type ResponseHook } from "../index.ts";

const logger = { warn: (): void => undefined, error: (): void => undefined };
const get = async (app: Framework, path: string, init?: RequestInit): Promise<Response> =>
  app.fetch(new Request(`http://h${path}`, init));

async function* pieces(): AsyncGenerator<string, void, undefined> {
  yield "one ";
  yield "two";
}

/** Every kind of response, as a hook sees it. */
const kinds: Readonly<Record<string, readonly [handler: (ctx: Context) => unknown, status: number, body: string]>> = {
  text: [() => "text", 200, "text"],
  JSON: [() => ({ a: 1 }), 200, '{"a":1}'],
  bytes: [() => Buffer.from("bytes"), 200, "bytes"],
  nothing: [(ctx) => void ctx.status(200), 204, ""],
  "a redirect": [(ctx) => ctx.redirect("/x"), 302, ""],
  "a stream": [() => Readable.from(["a ", "file"]), 200, "a file"],
  "an iterable": [() => pieces(), 200, "one two"],
  "a web Response": [() => new Response("web", { status: 201 }), 201, "web"],
  "recorded events": [(ctx) => ctx.sse(pieces()), 200, "data: one \n\ndata: two\n\n"],
  "an HttpError": [() => Promise.reject(new HttpError(409, "taken")), 409, "problem"],
  "an unexpected error": [() => Promise.reject(new Error("secret")), 500, "problem"],
};

async function textOf(body: RecordedResponse["body"]): Promise<string> {
  if (body === undefined || typeof body === "string") return body ?? "";
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  let text = "";
  for await (const chunk of body as AsyncIterable<Uint8Array | string>) text += Buffer.from(chunk as string).toString();
  return text;
}

async function* hexOf(stream: Readable): AsyncGenerator<string, void, undefined> {
  for await (const chunk of stream as AsyncIterable<Buffer>) yield chunk.toString("hex");
}

/** Reads the whole response and sends it in capitals, with the original as headers. */
const capitals: ResponseHook = async (ctx, { status, headers, body }) => {
  const text = await textOf(body);
  ctx.setHeader("X-Was", `${status} ${text.length}`);
  return { status, headers: [...headers, "X-Hooked", "yes"], body: text.toUpperCase() };
};

for (const [name, { engine, open }] of Object.entries(hosts))
  describe(`onResponse on ${name}`, () => {
    const withApp = async (
      define: (app: Framework) => unknown,
      use: (send: Awaited<ReturnType<typeof open>>["send"]) => Promise<void>,
    ): Promise<void> => {
      const app = Framework.create({ logger, ...(engine && { engine }), host: "127.0.0.1" });
      define(app);
      const host = await open(app);
      await use((request) => host.send(request)).finally(() => host.close());
    };

    for (const [kind, [handler, status, body]] of Object.entries(kinds))
      test(`sends its replacement of ${kind}`, () =>
        withApp(
          (app) => app.onResponse(capitals).get("/", handler),
          async (send) => {
            const seen = await send({ target: "/" });
            assert.deepEqual([seen.status, seen.torn], [status, false]);
            if (body === "problem") assert.match(seen.body, /"TITLE":/);
            else assert.equal(seen.body, status === 204 ? "" : body.toUpperCase());
          },
        ));

    for (const [kind, [handler, status, body]] of Object.entries(kinds))
      test(`sees ${kind}`, async () => {
        const seen: (readonly [status: number, text: string, isSent: boolean])[] = [];
        await withApp(
          (app) =>
            app
              .onResponse(async (ctx, response) => {
                const text = await textOf(response.body);
                seen.push([response.status, text.includes('"title":') ? "problem" : text, ctx.committed]);
                return { ...response, body: text };
              })
              .get("/", handler),
          async (send) => void (await send({ target: "/" })),
        );
        assert.deepEqual(seen, [[status, body, false]]);
      });

    test("compresses a stream, and responds 304 to a validator it knows", () =>
      withApp(
        (app) =>
          app
            .onResponse((ctx, response) => {
              if (typeof response.body !== "string") return undefined;
              const tag = `"${createHash("sha256").update(response.body).digest("base64url")}"`;
              ctx.setHeader("ETag", tag);
              return ctx.header("if-none-match") === tag ? { ...response, status: 304, body: undefined } : undefined;
            })
            .onResponse((ctx, response) => {
              if (!(response.body instanceof Readable)) return undefined;
              ctx.setHeader("X-Coding", "gzip in hex");
              return { ...response, body: hexOf(response.body.pipe(createGzip())) };
            })
            .get("/text", () => "tagged")
            .get("/file", (ctx) => ctx.setHeader("Content-Length", 12).send(Readable.from(["twelve", " bytes"]))),
        async (send) => {
          const first = await send({ target: "/text" });
          assert.deepEqual([first.status, first.body], [200, "tagged"]);
          const etag = String(first.headers["etag"]);
          const again = await send({ target: "/text", headers: [["If-None-Match", etag]] });
          assert.deepEqual([again.status, again.body, again.headers["etag"]], [304, "", etag]);
          const file = await send({ target: "/file" });
          assert.deepEqual([file.status, file.torn, file.headers["x-coding"]], [200, false, "gzip in hex"]);
          assert.equal(gunzipSync(Buffer.from(file.body, "hex")).toString(), "twelve bytes");
        },
      ));

    test("a throwing hook is an error like any other, and the hooks do not run again for it", () =>
      withApp(
        (app) =>
          app
            .onResponse(() => {
              throw new HttpError(418, "no tea");
            })
            .get("/", () => "x"),
        async (send) => {
          for (const target of ["/", "/nowhere"]) assert.equal((await send({ target })).status, 418);
        },
      ));
  });

describe("the order of response hooks", () => {
  const marking =
    (mark: string, seen: string[]): ResponseHook =>
    (ctx) => {
      seen.push(`${mark} ${ctx.route ?? "-"}`);
    };

  test("the innermost group first, then the app. Those of a group for its routes alone", async () => {
    const seen: string[] = [];
    const { app } = created();
    app
      .onResponse(marking("app 1", seen))
      .group("/a", (a) => {
        a.onResponse(marking("a", seen))
          .get("/x", () => "x")
          .group("/b", (b) => b.onResponse(marking("b", seen)).get("/y", () => "y"));
      })
      .get("/z", () => "z")
      .onResponse(marking("app 2", seen));
    for (const path of ["/a/b/y", "/a/x", "/z", "/a/none"]) await (await get(app, path)).text();
    assert.deepEqual(seen, [
      "b /a/b/y",
      "a /a/b/y",
      "app 1 /a/b/y",
      "app 2 /a/b/y",
      "a /a/x",
      "app 1 /a/x",
      "app 2 /a/x",
      "app 1 /z",
      "app 2 /z",
      "app 1 -",
      "app 2 -",
    ]);
  });

  test("each sees the result of the one before", async () => {
    const { app } = created();
    const appending =
      (text: string, isLate: boolean): ResponseHook =>
      (_ctx, response) => {
        const next = { ...response, status: response.status + 1, body: `${String(response.body)}${text}` };
        return isLate ? Promise.resolve(next) : next;
      };
    app
      .onResponse(appending("b", false))
      .onResponse(appending("c", true))
      .onResponse(appending("d", false))
      .get("/", () => "a");
    const response = await get(app, "/");
    assert.deepEqual([response.status, await response.text()], [203, "abcd"]);
  });

  test("sees headers that middleware sets after next, and may set headers and status on the context", async () => {
    const { app } = created();
    app
      .use(async (ctx, next) => {
        await next();
        ctx.setHeader("X-Middleware", "1");
      })
      .onResponse((ctx, { headers }) => {
        ctx.status(202).setHeader("X-Saw", String(headers.includes("X-Middleware")));
      })
      .get("/", () => "x");
    const response = await get(app, "/");
    assert.deepEqual([response.status, response.headers.get("x-saw"), await response.text()], [202, "true", "x"]);
  });

  test("does not see an open event stream, because its head is out already", async () => {
    let seen = 0;
    const { app } = created();
    app.onResponse(() => void (seen += 1)).get("/", (ctx) => ctx.sse().close());
    assert.equal((await get(app, "/")).status, 200);
    assert.equal(seen, 0);
  });
});

describe("response hooks that fail", () => {
  test("the error goes to the app's handlers, and the recorded stream is dismissed", async () => {
    const { app } = created();
    const file = Readable.from(["never read"]);
    let runs = 0;
    app
      .onError(RangeError, (error) => ({ handled: error.message }))
      .onResponse(() => {
        runs += 1;
        throw new RangeError("no range");
      })
      .get("/", () => file);
    const response = await get(app, "/");
    assert.deepEqual(await response.json(), { handled: "no range" });
    assert.equal(runs, 1);
    await until(() => file.destroyed);
  });

  const wrong: Readonly<Record<string, unknown>> = {
    "an invalid status": { status: 99, headers: [], body: "x" },
    "headers that are not a list": { status: 200, headers: { a: "b" }, body: "x" },
    "half a header": { status: 200, headers: ["a"], body: "x" },
    "a header that would split the response": { status: 200, headers: ["a", "b\r\nc: d"], body: "x" },
    "a body that is an object": { status: 200, headers: [], body: { a: 1 } },
    "a promise as its body": { status: 200, headers: [], body: Promise.resolve("x") },
    "something else": "text",
  };
  for (const [what, returned] of Object.entries(wrong))
    test(`${what} is an error of the hook`, async () => {
      const { app, errors } = created();
      app.onResponse(() => returned as RecordedResponse).get("/", () => "x");
      const response = await get(app, "/");
      assert.deepEqual([response.status, (await response.text()).includes("x\r")], [500, false]);
      assert.equal(errors.length, 1);
    });

  test("while one waits, a client that leaves ends the request with 499, and its stream is dismissed", async () => {
    const { app } = created();
    const [file, replacement] = [Readable.from(["a"]), Readable.from(["b"])];
    const completions: unknown[] = [];
    let go: (() => void) | undefined;
    const left = new AbortController();
    app
      .use((ctx, next) => {
        ctx.onComplete(({ status, aborted }) => void completions.push([status, aborted]));
        return next();
      })
      .onResponse(
        (_ctx, response) => new Promise((resolve) => void (go = () => resolve({ ...response, body: replacement }))),
      )
      .get("/", () => file);
    const asked = get(app, "/", { signal: left.signal }).catch(() => "left");
    await until(() => go !== undefined);
    left.abort();
    await until(() => completions.length === 1);
    go?.();
    assert.equal(await asked, "left");
    assert.deepEqual(completions, [[499, true]]);
    await until(() => file.destroyed && replacement.destroyed);
  });

  test("must be a function and is registered before the start", async () => {
    const { app } = created();
    assert.throws(() => app.onResponse({} as ResponseHook), /app\.onResponse takes a function \(ctx, response\)/);
    assert.throws(
      () => app.group("/a", (a) => a.onResponse(null as never)),
      /group\.onResponse takes a function .* not null/,
    );
    await app.ready();
    assert.throws(() => app.onResponse(() => undefined), /app\.onResponse\(\) came after the app was started/);
  });
});

describe("ctx.onResponse", () => {
  const marking =
    (mark: string, seen: string[]): ResponseHook =>
    () =>
      void seen.push(mark);

  test("runs for its request alone, after groups and app, the one registered last first", async () => {
    const seen: string[] = [];
    const { app } = created();
    app
      .onResponse(marking("app", seen))
      .use((ctx, next) => {
        ctx.onResponse(marking("outer", seen));
        return next();
      })
      .use("/a", (ctx, next) => {
        ctx.onResponse(marking("inner", seen));
        return next();
      })
      .group("/a", (a) =>
        a
          .onResponse(marking("group", seen))
          .get("/x", (ctx) => {
            ctx.onResponse(marking("handler", seen));
            return "x";
          })
          .get("/wrong", () => Promise.reject(new HttpError(409))),
      )
      .get("/b", () => "b");
    for (const path of ["/a/x", "/a/wrong", "/a/none", "/b"]) {
      await (await get(app, path)).text();
      seen.push("—");
    }
    assert.deepEqual(seen.join(" ").split(" — "), [
      "group app handler inner outer",
      "group app inner outer",
      "app inner outer",
      "app outer —",
    ]);
  });

  test("sees the result of earlier hooks, and its own is sent", async () => {
    const { app } = created();
    app
      .onResponse((_ctx, response) => ({ ...response, body: `<${String(response.body)}>` }))
      .use((ctx, next) => {
        ctx.onResponse(async (_, response) => ({ ...response, status: 201, body: `(${String(response.body)})` }));
        return next();
      });
    const response = await get(
      app.get("/", () => "x"),
      "/",
    );
    assert.deepEqual([response.status, await response.text()], [201, "(<x>)"]);
  });

  test("a throwing one is an error like any other, and none runs again", async () => {
    const seen: string[] = [];
    const { app } = created();
    app.use((ctx, next) => {
      ctx.onResponse(marking("outer", seen)).onResponse(() => {
        seen.push("thrown");
        throw new HttpError(418);
      });
      return next();
    });
    assert.deepEqual(
      [
        (
          await get(
            app.get("/", () => "x"),
            "/",
          )
        ).status,
        seen,
      ],
      [418, ["thrown"]],
    );
  });

  test("is an error after the response is on its way", async () => {
    const late: unknown[] = [];
    const keep = (act: () => unknown): void => {
      try {
        act();
      } catch (error) {
        late.push((error as { code?: string }).code);
      }
    };
    const { app } = created();
    app
      .onResponse((ctx) => keep(() => ctx.onResponse(() => undefined)))
      .get("/", (ctx) => {
        ctx.onComplete(() => keep(() => ctx.onResponse(() => undefined)));
        return "x";
      });
    await (await get(app, "/")).text();
    await until(() => late.length === 2);
    assert.deepEqual(late, ["RESPONSE_SENT", "RESPONSE_SENT"]);
  });

  test("idle wrapped events are dismissed immediately when the client leaves, and end with the app", async () => {
    const ended: string[] = [];
    const idle = (name: string, signal: AbortSignal): AsyncIterable<string> => ({
      [Symbol.asyncIterator]: () => {
        signal.addEventListener("abort", () => void ended.push(`${name} aborted`));
        let sent = false;
        return {
          next: () => {
            if (sent) return new Promise<never>(() => undefined);
            sent = true;
            return Promise.resolve({ done: false, value: name });
          },
          return: () => {
            ended.push(name);
            return Promise.resolve({ done: true, value: undefined });
          },
        };
      },
    });
    const { app } = created();
    app
      .onResponse((_ctx, response) => {
        const source = (response.body as AsyncIterable<string>)[Symbol.asyncIterator]();
        const wrapped: AsyncIterable<string> = { [Symbol.asyncIterator]: () => source };
        return { ...response, body: wrapped };
      })
      .get("/{name}", (ctx) => ctx.sse(idle(ctx.pathParam("name"), ctx.signal)));
    await app.start(0);
    const leaving = new AbortController();
    const left = await fetch(`${app.url}/left`, { signal: leaving.signal });
    await left.body?.getReader().read();
    leaving.abort();
    await until(() => ended.includes("left"));
    const stays = await fetch(`${app.url}/stays`);
    const began = performance.now();
    const text = stays.text();
    await app.stop({ graceMs: 5_000 });
    assert.equal(await text, "data: stays\n\n");
    assert.ok(performance.now() - began < 4_000, "the stop waited for its grace");
    assert.deepEqual(ended.toSorted(), ["left", "left aborted", "stays", "stays aborted"]);
  });

  test("a stream that replaces text continues to its end while the app stops", async () => {
    const { app } = created();
    let goOn = (): void => undefined;
    const stopping = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* slow(): AsyncGenerator<string, void, undefined> {
      yield "one ";
      await stopping;
      yield "two";
    }
    app.onResponse((_ctx, response) => ({ ...response, body: slow() })).get("/", () => "text");
    await app.start(0);
    const response = await fetch(`${app.url}/`);
    const stopped = app.stop({ graceMs: 5_000 });
    goOn();
    assert.deepEqual([await response.text(), await stopped], ["one two", undefined]);
  });
});

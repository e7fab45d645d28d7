/** Tags, and the responses to conditional requests (COND). */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { type Context, EtagMiddleware, type EtagOptions, Framework } from "../../index.ts";
import { digestOf, digestWith, remembering } from "./digest.ts";

const tagOf = (body: string): string => `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;

/** An app with that handler for every path, and a client for it. */
function tagged(handler: (ctx: Context) => unknown, options?: EtagOptions) {
  const app = Framework.create({ logger: { error: () => undefined, warn: () => undefined } })
    .use(new EtagMiddleware(options))
    .any("/", handler);
  return async (headers: Record<string, string> = {}, method = "GET", body: string | null = null) => {
    const init = { method, headers: body === null ? headers : { "Content-Type": "text/plain", ...headers }, body };
    const response = await app.fetch(new Request("http://h/", init));
    const { status } = response;
    return { status, etag: response.headers.get("etag"), text: await response.text(), headers: response.headers };
  };
}

const namesOf = (headers: Headers): readonly string[] => [...headers.keys()].toSorted();

describe("EtagMiddleware", () => {
  test("COND-001: tags a whole response by its body, for GET, HEAD and QUERY alone", async () => {
    const ask = tagged((ctx) => (ctx.method === "QUERY" ? ctx.bodyAsString() : "hello"));
    const seen = [];
    for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE"]) seen.push((await ask({}, method)).etag);
    assert.deepEqual(seen, [`W/${tagOf("hello")}`, `W/${tagOf("hello")}`, null, null, null]);
    assert.equal((await tagged((ctx) => ctx.status(299).text("hello"))()).etag, `W/${tagOf("hello")}`);
    const query = await ask({}, "QUERY", "find me");
    assert.equal(query.etag, `W/${tagOf("find me")}`);
    assert.equal((await ask({ "If-None-Match": query.etag }, "QUERY", "find me")).status, 304);
    assert.equal((await ask({ "If-None-Match": query.etag }, "QUERY", "find you")).status, 200);
  });

  test("tags weakly by default, strongly on request", async () => {
    const bytes = (): Uint8Array => Buffer.from("hello");
    assert.equal((await tagged(bytes)()).etag, `W/${tagOf("hello")}`);
    assert.equal((await tagged(bytes, { strong: true })()).etag, tagOf("hello"));
    assert.equal((await tagged(bytes, { strong: true })({ "If-Match": tagOf("hello") })).status, 200);
    assert.equal((await tagged(bytes)({ "If-Match": `W/${tagOf("hello")}` })).status, 412);
  });

  test("uses the handler's own tag and date", async () => {
    const at = "Tue, 24 Nov 2026 10:00:00 GMT";
    const ask = tagged((ctx) => ctx.setHeader("ETag", '"mine"').setHeader("Last-Modified", at).text("x"));
    const statuses = [];
    for (const headers of [
      { "If-None-Match": '"mine"' },
      { "If-None-Match": tagOf("x") },
      { "If-Modified-Since": at },
      { "If-Match": '"mine"' },
      { "If-Match": tagOf("x") },
    ] as Record<string, string>[])
      statuses.push((await ask(headers)).status);
    assert.deepEqual(statuses, [304, 200, 304, 200, 412]);
    const dated = tagged((ctx) => ctx.setHeader("Last-Modified", at).send(pieces()));
    const { status, headers } = await dated({ "If-Modified-Since": at });
    assert.deepEqual([status, headers.get("last-modified"), (await dated()).etag], [304, at, null]);
    const broken = tagged((ctx) => ctx.setHeader("ETag", "mine").text("x"));
    for (const tag of ["mine", "*"]) assert.equal((await broken({ "If-None-Match": tag })).status, 200);
    assert.equal((await broken()).etag, "mine");
  });

  test("COND-020: reports to observers which condition decided, and the value it was compared with", async () => {
    const date = "Wed, 01 Jan 2025 00:00:00 GMT";
    const before = "Tue, 31 Dec 2024 00:00:00 GMT";
    const heard: unknown[] = [];
    const app = Framework.create()
      .observe({ annotation: (_ctx, name, value) => void heard.push([name, value]) })
      .use(new EtagMiddleware())
      .get("/", (ctx) => ctx.setHeader("ETag", '"v7"').setHeader("Last-Modified", date).text("x"));
    const statuses: number[] = [];
    for (const headers of [
      {},
      { "If-None-Match": '"v7"' },
      { "If-None-Match": '"v6"' },
      { "If-Modified-Since": date },
      { "If-Match": '"v6"' },
      { "If-Unmodified-Since": before },
      { "If-Match": '"v7"', "If-Modified-Since": before, "If-None-Match": '"v7"' },
      { "If-Match": '"v6"', "If-Modified-Since": before, "If-None-Match": '"v7"' },
    ] as Record<string, string>[])
      statuses.push((await app.fetch(new Request("http://h/", { headers }))).status);
    assert.deepEqual(statuses, [200, 304, 200, 304, 412, 412, 304, 412]);
    const verdict = (outcome: string, by: string, value: string): unknown => [
      "conditional",
      { outcome, by, value, etag: '"v7"', lastModified: date },
    ];
    assert.deepEqual(heard, [
      verdict("notModified", "If-None-Match", '"v7"'),
      verdict("met", "If-None-Match", '"v6"'),
      verdict("notModified", "If-Modified-Since", date),
      verdict("failed", "If-Match", '"v6"'),
      verdict("failed", "If-Unmodified-Since", before),
      verdict("notModified", "If-None-Match", '"v7"'),
      verdict("failed", "If-Match", '"v6"'),
    ]);
  });

  test("leaves responses alone that cannot be revalidated", async () => {
    const left: Readonly<Record<string, (ctx: Context) => unknown>> = {
      "a stream": (ctx) => ctx.send(pieces()),
      events: (ctx) => ctx.sse(pieces()),
      "no content": (ctx) => void ctx.status(204),
      "an error": (ctx) => ctx.status(404).text("x"),
      "a redirect": (ctx) => ctx.redirect("/y"),
      "a part": (ctx) => ctx.status(206).text("x"),
      "a secret": (ctx) => ctx.setHeader("Cache-Control", "private, no-store").text("x"),
    };
    for (const [name, handler] of Object.entries(left)) {
      const { etag, status } = await tagged(handler)({ "If-None-Match": "*" });
      assert.deepEqual([etag, status === 304], [null, false], name);
    }
  });

  test("a 304 keeps headers that do not describe the content", async () => {
    const ask = tagged((ctx) =>
      ctx
        .setHeader("Cache-Control", "max-age=60")
        .setHeader("Content-Location", "/here")
        .setHeader("Content-Language", "en")
        .setHeader("Content-Security-Policy", "default-src 'self'")
        .setHeader("Expires", "Tue, 24 Nov 2026 10:00:00 GMT")
        .setHeader("Last-Modified", "Tue, 24 Nov 2026 09:00:00 GMT")
        .setHeader("Set-Cookie", "a=1")
        .setHeader("X-Own", "kept")
        .vary("Accept-Language")
        .json({ a: 1 }),
    );
    const first = await ask();
    const { status, text, headers } = await ask({ "If-None-Match": first.etag ?? "" });
    assert.deepEqual([status, text], [304, ""]);
    assert.deepEqual(namesOf(headers), [
      "cache-control",
      "content-location",
      "content-security-policy",
      "etag",
      "expires",
      "set-cookie",
      "vary",
      "x-own",
    ]);
    assert.equal(headers.get("vary"), "Accept-Language");
  });

  test("COND-003: a failed condition is an error like any other", async () => {
    const app = Framework.create()
      .use(new EtagMiddleware())
      .onStatus(412, (ctx) => ctx.json({ changed: true }))
      .get("/", () => "x");
    const response = await app.fetch(new Request("http://h/", { headers: { "If-Match": '"old"' } }));
    assert.deepEqual([response.status, await response.json()], [412, { changed: true }]);
    const { text } = await tagged(() => "x")({ "If-Match": '"old"' });
    const { detail } = JSON.parse(text) as { detail: string };
    assert.equal(detail, "the resource is not in the state that the request asks for");
  });

  test("ends a stream that is not sent, because the client has it", async () => {
    let ended = false;
    async function* rows(): AsyncGenerator<string> {
      try {
        yield "a";
        yield "b";
      } finally {
        ended = true;
      }
    }
    const stream = new ReadableStream<Uint8Array>({ cancel: () => void (ended = true) });
    const ask = tagged((ctx) => ctx.setHeader("ETag", '"s"').send(ctx.header("x") === undefined ? stream : rows()));
    assert.deepEqual([(await ask({ "If-None-Match": '"s"' })).status, ended], [304, true]);
  });

  test("rejects an unknown option", () => {
    const wrong = { string: true } as object;
    assert.throws(() => new EtagMiddleware(wrong), {
      code: "CONFIG_INVALID",
      message: "EtagMiddleware has no option string: strong can be set; did you mean strong?",
    });
  });

  test("rejects an option that is not boolean", () => {
    const wrong = { strong: "yes" as unknown as boolean };
    assert.throws(() => new EtagMiddleware(wrong), {
      code: "CONFIG_INVALID",
      message: 'EtagMiddleware: strong is "yes"; a boolean is allowed',
    });
  });
});

async function* pieces(): AsyncGenerator<string> {
  yield "a";
}

describe("digestOf", () => {
  test("is the same on every platform, for text and for its bytes", async () => {
    const { createHash: create } = await import("node:crypto");
    for (const body of ["", "hello", "é€😀".repeat(1_000)]) {
      const expected = tagOf(body).slice(1, -1);
      const bytes = new TextEncoder().encode(body);
      const found = [
        digestOf(body),
        digestOf(bytes),
        await digestWith(undefined)(body),
        await digestWith(undefined)(bytes),
        digestWith({ createHash: create } as never)(body),
      ];
      assert.deepEqual(found, Array(5).fill(expected));
    }
  });
});

describe("remembering", () => {
  test("hashes a repeated text once, of 16 lengths up to 64 Ki characters", () => {
    const hashed: string[] = [];
    const digest = remembering((text) => {
      hashed.push(String(text));
      return `of ${String(text).slice(0, 3)}`;
    });
    const ask = (...texts: readonly string[]) => {
      hashed.length = 0;
      return [texts.map((text) => digest(text)), hashed.length];
    };
    assert.deepEqual(ask("abc", "abc", "xyz", "xyz", "abc"), [["of abc", "of abc", "of xyz", "of xyz", "of abc"], 3]);
    const long = "l".repeat(65_536);
    assert.deepEqual([ask(long, long)[1], ask(`${long}l`, `${long}l`)[1]], [1, 2]);
    const many = Array.from({ length: 14 }, (_, at) => "m".repeat(at + 4));
    assert.deepEqual([ask(...many, ...many)[1], ask("abc", long)[1]], [14, 0]);
    assert.deepEqual([ask("one more of another length")[1], ask("abc", long)[1]], [1, 2]);
  });

  test("passes an asynchronous hash on", async () => {
    let times = 0;
    const digest = remembering(() => Promise.resolve(String((times += 1))));
    assert.deepEqual([await digest("a"), await digest("a")], ["1", "2"]);
  });
});

/** Tests of declared bodies over whole responses (CONTRACT). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fastJson from "fast-json-stringify";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { z } from "zod";
import { Framework } from "../app/framework.ts";
import type { FrameworkOptions } from "../app/config.ts";
import type { CompileSchema } from "./input.ts";
import type { CompileSerializer } from "./shape.ts";
import { bytes, empty, events, redirect, stream, text } from "./declared-body.ts";

/** Status, Content-Type, text, and the log lines. */
async function sent(app: Framework, path = "/", init?: RequestInit): Promise<unknown[]> {
  const response = await app.request(path, init);
  return [response.status, response.headers.get("content-type"), await response.text()];
}

function created(options: FrameworkOptions = {}): { app: Framework; lines: string[] } {
  const lines: string[] = [];
  const logger = { warn: (line: string) => void lines.push(line), error: (line: string) => void lines.push(line) };
  return { app: Framework.create({ logger, ...options }), lines };
}

const plain = "text/plain; charset=utf-8";
const ndjson = "application/x-ndjson";
const Row = z.object({ id: z.number() });
const Tick = z.object({ n: z.number() });

describe("a declared text", () => {
  test("CONTRACT-040: is sent with its media type, returned, replied and recorded", async () => {
    const { app, lines } = created();
    app
      .get("/returned", { responses: { 200: text("text/csv") } }, () => "a,b")
      .get("/replied", { responses: { 201: text("text/csv") } }, (ctx) => ctx.reply(201, "a,b"))
      .get("/recorded", { responses: { 200: text("text/csv") } }, (ctx) => ctx.text("a,b"))
      .get("/plain", { responses: { 200: text() } }, () => "a");
    assert.deepEqual(
      [
        await sent(app, "/returned"),
        await sent(app, "/replied"),
        await sent(app, "/recorded"),
        await sent(app, "/plain"),
      ],
      [
        [200, "text/csv; charset=utf-8", "a,b"],
        [201, "text/csv; charset=utf-8", "a,b"],
        [200, "text/csv; charset=utf-8", "a,b"],
        [200, plain, "a"],
      ],
    );
    assert.deepEqual(lines, []);
  });

  test("CONTRACT-012: is also what a schema of strings declares, returned and replied", async () => {
    const { app, lines } = created();
    const responses = { 200: z.string().max(3) };
    app.get("/returned", { responses }, () => "a").get("/replied", { responses }, (ctx) => ctx.reply(200, "a"));
    assert.deepEqual(
      [await sent(app, "/returned"), await sent(app, "/replied")],
      [
        [200, plain, "a"],
        [200, plain, "a"],
      ],
    );
    assert.deepEqual(lines, []);
  });
});

describe("declared bytes", () => {
  test("CONTRACT-040: are sent with their media type: bytes, a buffer, a Blob, a stream", async () => {
    const { app, lines } = created();
    const responses = { 200: bytes("image/png") };
    app
      .get("/bytes", { responses }, () => new TextEncoder().encode("x"))
      .get("/buffer", { responses }, () => new TextEncoder().encode("x").buffer)
      .get("/blob", { responses }, () => new Blob(["x"], { type: "text/html" }))
      .get("/stream", { responses }, async function* () {
        yield "x";
      })
      .get("/sent", { responses }, (ctx) => ctx.send(new TextEncoder().encode("x")));
    for (const path of ["/bytes", "/buffer", "/blob", "/stream", "/sent"])
      assert.deepEqual(await sent(app, path), [200, "image/png", "x"], path);
    assert.deepEqual(lines, []);
  });
});

describe("a declared stream", () => {
  test("CONTRACT-041: sends each row as a line of JSON, from a generator, an iterable and a list", async () => {
    const { app } = created();
    const responses = { 200: stream(ndjson, Row) };
    app
      .get("/generator", { responses }, async function* () {
        yield { id: 1, secret: "x" };
        yield { id: 2 };
      })
      .get("/list", { responses }, () => [{ id: 1 }, { id: 2 }])
      .get("/set", { responses }, () => new Set([{ id: 1 }, { id: 2 }]))
      .get("/replied", { responses }, (ctx) => ctx.reply(200, [{ id: 1 }, { id: 2 }]));
    for (const path of ["/generator", "/list", "/set", "/replied"])
      assert.deepEqual(await sent(app, path), [200, ndjson, '{"id":1}\n{"id":2}\n'], path);
  });

  test("CONTRACT-041: separates the rows of application/json-seq as RFC 7464 says", async () => {
    const { app } = created();
    app.get("/", { responses: { 200: stream("application/json-seq", Row) } }, () => [{ id: 1 }]);
    assert.deepEqual(await sent(app), [200, "application/json-seq", '\u001e{"id":1}\n']);
  });

  test("sends the pieces of a stream without rows unchanged", async () => {
    const { app } = created();
    app.get("/", { responses: { 200: stream("text/csv") } }, async function* () {
      yield "a,b\n";
      yield "1,2\n";
    });
    assert.deepEqual(await sent(app), [200, "text/csv", "a,b\n1,2\n"]);
  });

  test("throws a rejected row at its yield, and cuts the response", async () => {
    const { app, lines } = created();
    const seen: unknown[] = [];
    app.get("/", { responses: { 200: stream(ndjson, Row) } }, async function* () {
      yield { id: 1 };
      try {
        yield { id: "two" as never };
      } catch (error) {
        seen.push(String(error));
        throw error;
      }
    });
    const reading = await app.request("/");
    await assert.rejects(reading.text());
    const sentence =
      "GET /: the response 200 breaks its contract at /id: Invalid input: expected number, received string";
    assert.deepEqual([seen, lines], [[`Error: ${sentence}`], ["GET / failed while its response was streamed"]]);
  });

  test("continues when the generator catches that error", async () => {
    const { app } = created();
    app.get("/", { responses: { 200: stream(ndjson, Row) } }, async function* () {
      try {
        yield { id: "one" as never };
      } catch {
        yield { id: 2 };
      }
    });
    assert.deepEqual(await sent(app), [200, ndjson, '{"id":2}\n']);
  });

  test("sends a rejected row with one log line in the mode warn", async () => {
    const { app, lines } = created({ responseChecks: "warn" });
    app.get("/", { responses: { 200: stream(ndjson, Row) } }, () => [{ id: "one" }, { id: "two" }] as never);
    assert.deepEqual(await sent(app), [200, ndjson, '{"id":"one"}\n{"id":"two"}\n']);
    assert.deepEqual(lines, [
      "GET /: the response 200 breaks its contract at /id: Invalid input: expected number, received string",
    ]);
  });
});

describe("declared events", () => {
  const responses = { 200: events({ tick: Tick, done: z.null() }) };

  test("CONTRACT-043: are sent from a returned generator, from ctx.sse(events) and by send, with data as JSON", async () => {
    const { app } = created();
    app
      .get("/returned", { responses }, async function* () {
        yield { event: "tick", data: { n: 1 }, id: "7" };
        yield { event: "done", data: null };
      })
      .get("/recorded", { responses }, (ctx) =>
        ctx.sse(
          (async function* () {
            yield { event: "tick", data: { n: 1 }, id: "7" } as const;
            yield { event: "done", data: null } as const;
          })(),
        ),
      )
      .get("/sent", { responses }, (ctx) => {
        const open = ctx.sse();
        open.send({ event: "tick", data: { n: 1 }, id: "7" });
        open.send({ event: "done", data: null });
        open.close();
      });
    for (const path of ["/returned", "/recorded", "/sent"])
      assert.deepEqual(
        await sent(app, path),
        [200, "text/event-stream", 'event: tick\nid: 7\ndata: {"n":1}\n\nevent: done\ndata: null\n\n'],
        path,
      );
  });

  test("an undeclared event and data that its schema rejects are errors at the sender", async () => {
    const { app } = created();
    const thrown: string[] = [];
    app.get("/", { responses }, (ctx) => {
      const open = ctx.sse();
      for (const event of [
        { event: "tock", data: 1 },
        { event: "tick", data: { n: "1" } },
        { event: "tick", data: { n: 2 } },
      ])
        try {
          open.send(event as never);
        } catch (error) {
          thrown.push((error as Error).message);
        }
      open.close();
    });
    assert.deepEqual(await sent(app), [200, "text/event-stream", 'event: tick\ndata: {"n":2}\n\n']);
    assert.deepEqual(thrown, [
      'GET /: the response 200 breaks its contract: the event "tock" is not in the contract, which names tick, done',
      "GET /: the response 200 breaks its contract at /n: Invalid input: expected number, received string",
    ]);
  });

  test("give the handler the client's last event id", async () => {
    const { app } = created();
    app.get("/", { query: z.object({ a: z.string() }), responses }, async function* ({ input }) {
      yield { event: "tick", data: { n: Number(input.lastEventId ?? 0) + Number(input.query.a) } };
    });
    const [, , first] = await sent(app, "/?a=1");
    const [, , again] = await sent(app, "/?a=1", { headers: { "last-event-id": "41" } });
    assert.deepEqual([first, again], ['event: tick\ndata: {"n":1}\n\n', 'event: tick\ndata: {"n":42}\n\n']);
  });
});

describe("a declared redirect, and an empty response", () => {
  test("is sent by its URL, and by ctx.redirect", async () => {
    const { app, lines } = created();
    app
      .get("/replied", { responses: { 303: redirect() } }, (ctx) => ctx.reply(303, "/a"))
      .get("/recorded", { responses: { 303: redirect() } }, (ctx) => ctx.redirect("/a", 303))
      .get("/empty", { responses: { 202: empty() } }, (ctx) => ctx.reply(202));
    for (const path of ["/replied", "/recorded"]) {
      const { status, headers } = await app.request(path, { redirect: "manual" });
      assert.deepEqual([status, headers.get("location")], [303, "/a"], path);
    }
    assert.deepEqual([await sent(app, "/empty"), lines], [[202, null, ""], []]);
  });
});

describe("a response with a contract", () => {
  const responses = { 200: z.object({ id: z.number() }), 201: z.object({ name: z.string() }) };
  const user = { id: 1, name: "Ada", hash: "x" };

  test("CONTRACT-047: has only the declared members, however it is recorded", async () => {
    const { app, lines } = created();
    app
      .get("/returned", { responses }, () => user)
      .get("/json", { responses }, (ctx) => ctx.json(user))
      .get("/replied", { responses }, (ctx) => ctx.reply(200, user))
      .get("/promised", { responses }, async () => user)
      .get("/response", { responses }, () => Response.json(user))
      .get("/created", { responses }, (ctx) => ctx.status(201).json(user));
    for (const path of ["/returned", "/json", "/replied", "/promised", "/response"])
      assert.deepEqual(await sent(app, path), [200, "application/json", '{"id":1}'], path);
    assert.deepEqual(await sent(app, "/created"), [201, "application/json", '{"name":"Ada"}']);
    assert.deepEqual(lines, []);
  });

  test("CONTRACT-047: has the declared members of its last status, if that is set after the value", async () => {
    const { app, lines } = created();
    app.get("/", { responses: { 201: responses[200] } }, (ctx) => ctx.json(user).status(201));
    assert.deepEqual([await sent(app), lines], [[201, "application/json", '{"id":1}'], []]);
  });

  test("CONTRACT-019: of a value that its schema rejects is a 500 that reveals nothing of it", async () => {
    const { app, lines } = created();
    app.get("/", { responses }, () => ({ id: "s3cr3t" }) as never);
    const [status, type, body] = await sent(app);
    assert.deepEqual([status, type, String(body).includes("s3cr3t")], [500, "application/problem+json", false]);
    assert.deepEqual(lines, ["GET / failed"]);
  });

  test("of another status or media type is sent, with one log line", async () => {
    const { app, lines } = created();
    app
      .get("/status", { responses }, (ctx) => ctx.status(202).json(user))
      .get("/text", { responses }, (ctx) => ctx.text("a"))
      .get("/empty", { responses }, (ctx) => ctx.status(201))
      .get("/csv", { responses: { 200: text("text/csv") } }, (ctx) => ctx.html("a"));
    for (const path of ["/status", "/text", "/empty", "/csv", "/csv"]) await sent(app, path);
    assert.deepEqual(lines, [
      "GET /status: the response 202 breaks its contract: the status 202 is not in the contract, which names 200, 201",
      "GET /text: the response 200 breaks its contract: 200 was sent as text/plain, and application/json was declared",
      "GET /empty: the response 201 breaks its contract: 201 was sent without content",
      "GET /csv: the response 200 breaks its contract: 200 was sent as text/html, and text/csv was declared",
    ]);
  });

  test("is enforced for its media type too", async () => {
    const { app } = created({ responseChecks: "enforce" });
    app.get("/", { responses: { 200: text("text/csv") } }, (ctx) => ctx.html("a"));
    assert.equal((await app.request("/")).status, 500);
  });
});

describe("a serializer of the app", () => {
  const Row = Type.Object({ id: Type.Number(), at: Type.Optional(Type.String({ format: "date-time" })) });
  const options: FrameworkOptions = {
    compileSchema: Compile as CompileSchema,
    compileSerializer: fastJson as CompileSerializer,
  };

  test("writes the JSON of responses, rows and events, with the declared members", async () => {
    const { app, lines } = created(options);
    app
      .get("/json", { responses: { 200: z.object({ id: z.number() }) } }, () => ({ id: 1, secret: "x" }))
      .get("/dated", { responses: { 200: Row } }, () => ({ id: 1, at: new Date(0), secret: "x" }) as never)
      .get("/rows", { responses: { 200: stream(ndjson, Row) } }, () => [{ id: 1, secret: "x" }] as never)
      .get("/text", { responses: { 200: z.string() } }, () => "a");
    assert.deepEqual(
      [await sent(app, "/json"), await sent(app, "/dated"), await sent(app, "/rows"), await sent(app, "/text")],
      [
        [200, "application/json", '{"id":1}'],
        [200, "application/json", '{"id":1,"at":"1970-01-01T00:00:00.000Z"}'],
        [200, ndjson, '{"id":1}\n'],
        [200, plain, "a"],
      ],
    );
    assert.deepEqual(lines, []);
  });

  test("makes a response that it cannot write a 500 with its reason in the log", async () => {
    const { app, lines } = created(options);
    app.get("/", { responses: { 200: Row } }, () => ({ name: "s3cr3t" }) as never);
    const [status, , body] = await sent(app);
    assert.deepEqual([status, String(body).includes("s3cr3t"), lines], [500, false, ["GET / failed"]]);
  });

  test("is an error at the start if it cannot be made, naming the response", async () => {
    const { app } = created({
      compileSerializer: () => {
        throw new Error("no such type");
      },
    });
    app.get("/", { responses: { 200: z.object({}) } }, () => ({}));
    await assert.rejects(app.ready(), {
      code: "CONTRACT_INVALID",
      message: "GET /: its response 200 has no serializer: no such type",
    });
  });
});

describe("an impossible declaration", () => {
  const impossible: Readonly<Record<string, readonly [declare: () => unknown, message: RegExp]>> = {
    "a media type that is none": [() => text("csv"), /^the media type "csv": a type such as "text\/csv" is allowed$/],
    "rows of another media type": [
      () => stream("text/csv", Row),
      /^stream\("text\/csv", row\): rows are sent as application\/x-ndjson/,
    ],
    "no event": [() => events({}), /^events\(\{\}\): it needs at least one event/],
    "a redirect with 200": [
      () => created().app.get("/", { responses: { 200: redirect() } }, () => "/a"),
      /^GET \/: its response 200 is a redirect: 300 to 308 without 304 is allowed$/,
    ],
    "content of 204": [
      () => created().app.get("/", { responses: { 204: text() } }, () => ""),
      /^GET \/: its response 204 has content, which it cannot: write null$/,
    ],
    "an event without a schema": [
      () => created().app.get("/", { responses: { 200: events({ tick: 7 as never }) } }, (ctx) => ctx),
      /^GET \/: its response 200: its event tick is number: /,
    ],
  };
  for (const [what, [declare, message]] of Object.entries(impossible))
    test(`throws where it is written: ${what}`, () => assert.throws(declare, { code: "CONTRACT_INVALID", message }));
});

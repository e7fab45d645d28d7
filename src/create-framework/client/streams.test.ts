/**
 * Tests streams: the types of their items, and loops that go on after a broken connection.
 */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, it } from "node:test";
import { testServer } from "../harness.testkit.ts";
import { clientOf, compiled, documentOf, jsonResponse, loaded, recorded } from "./harness.testkit.ts";

const text = { type: "string" };
const number = { type: "object", required: ["n"], properties: { n: { type: "integer" } } };
const problem = { content: { "application/problem+json": { schema: { const: "problem" } } } };
const event = (name: string, data: object): object => ({
  type: "object",
  required: ["event", "data"],
  properties: { event: { const: name }, data, id: text, retry: { type: "integer" } },
});
const inText = (contentSchema: object): object => ({
  type: "string",
  contentMediaType: "application/json",
  contentSchema,
});
const tick = event("tick", inText({ $ref: "#/components/schemas/Tick" }));
const oneOf = [tick, event("done", text)];
const components = { schemas: { Tick: number } };

/** A document with a stream at /ticks. */
const streamed = (content: object, more: object = {}, method = "get"): Record<string, unknown> =>
  documentOf(
    { "/ticks": { [method]: { operationId: "ticks", responses: { 200: { content }, default: problem }, ...more } } },
    { components },
  );
const ticks = streamed({ "text/event-stream": { itemSchema: { oneOf } } });

/** A call of a stream, without its types. */
interface Call extends AsyncIterable<unknown> {
  open(): Promise<{ readonly ok: boolean; readonly status: number; readonly body?: AsyncIterable<unknown> }>;
}

/** A client of the document that calls the service. */
async function calling(document: Record<string, unknown>, options: object): Promise<(input?: object) => Call> {
  const { createClient } = await loaded(clientOf(document));
  const client = createClient(options) as unknown as Record<string, (input?: object) => Call>;
  return (input) => client["ticks"]?.(input) ?? assert.fail("no call");
}

/** A call that gets these responses, and the ids that it sent. */
async function answered(
  document: Record<string, unknown>,
  ...responses: readonly (Response | Error)[]
): Promise<{ call: (input?: object) => Call; ids: (string | null)[] }> {
  const ids: (string | null)[] = [];
  const waiting = [...responses];
  const fetch = async (request: Request): Promise<Response> => {
    ids.push(request.headers.get("Last-Event-ID"));
    const next = waiting.shift() ?? new Response(null, { status: 204 });
    if (next instanceof Error) throw next;
    return next;
  };
  return { call: await calling(document, { baseUrl: "http://test", retry: false, fetch }), ids };
}

const typed = (body: string | ReadableStream, type = "text/event-stream"): Response =>
  new Response(body, { headers: { "Content-Type": type } });

async function all(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("the type of a stream", () => {
  const typesOf = (content: object): string | undefined =>
    /export type Ticks(?:Event|Line) = ([^;]*);/.exec(clientOf(streamed(content)))?.[1];

  it("is a union of the documented events, in the forms of 3.1 and 3.2", () => {
    const types: readonly (readonly [content: object, type: string | undefined])[] = [
      [{ itemSchema: { oneOf } }, 'TypedEvent<"tick", Tick> | TypedEvent<"done", string>'],
      [{ schema: { ...text, contentSchema: { oneOf } } }, 'TypedEvent<"tick", Tick> | TypedEvent<"done", string>'],
      [{ itemSchema: tick }, 'TypedEvent<"tick", Tick>'],
      [{ itemSchema: event("tick", number) }, 'TypedEvent<"tick", { readonly n: number }>'],
      [{ itemSchema: { properties: { data: text } } }, 'TypedEvent<"message", string>'],
      [{ itemSchema: { properties: { event: { enum: ["a", "b"] } } } }, 'TypedEvent<"a" | "b", string>'],
      [{ itemSchema: { properties: { event: text, data: inText({}) } } }, "TypedEvent<string, unknown>"],
      [{ itemSchema: { properties: { data: { enum: ["x", "y"] } } } }, 'TypedEvent<"message", "x" | "y">'],
      [{ schema: text }, undefined],
    ];
    assert.deepEqual(
      types.map(([media]) => typesOf({ "text/event-stream": media })),
      types.map(([, type]) => type),
    );
    for (const type of ["application/x-ndjson", "application/jsonl", "application/json-seq"])
      assert.equal(typesOf({ [type]: { itemSchema: { $ref: "#/components/schemas/Tick" } } }), "Tick");
  });

  it("narrows by the event, and has the failures of the document", async () => {
    const caller = `import { createClient, type ClientOptions } from "./client.ts";
const client = createClient({ baseUrl: "" } satisfies ClientOptions);
export async function read(signal: AbortSignal): Promise<number | string> {
  for await (const event of client.ticks({ signal, reconnect: false })) if (event.event === "tick") return event.data.n;
  const result = await client.ticks().open();
  if (!result.ok) return result.problem;
  for await (const { data } of result.body) return typeof data === "string" ? data : data.n.toFixed();
  const event: { event: "tick" } = { event: "done" };
  return event.event;
}
`;
    const { errors } = await compiled({ "client.ts": clientOf(ticks), "caller.ts": caller });
    assert.deepEqual(
      errors.map((line) => /^(\w+\.ts)\((\d+),.*error (TS\d+)/.exec(line)?.slice(1)),
      [["caller.ts", "8", "TS2322"]],
      errors.join("\n"),
    );
  });

  it("is a part of a result next to other successes, and in a client that has no call of a stream", async () => {
    const content = { "text/event-stream": { itemSchema: tick }, "application/json": { schema: number } };
    const document = streamed(content);
    const written = clientOf(document);
    assert.match(written, /Ok<200, AsyncIterable<TypedEvent<"tick", Tick>> \| \{ readonly n: number \}>/);
    assert.deepEqual((await compiled({ "client.ts": written })).errors, []);
    const { client } = await recorded(document, typed('event: tick\ndata: {"n":1}\n\n'), jsonResponse(200, { n: 2 }));
    const bodies = [(await client["ticks"]?.())?.["body"], (await client["ticks"]?.())?.["body"]];
    assert.deepEqual(await all(bodies[0] as AsyncIterable<unknown>), [{ event: "tick", data: { n: 1 }, id: "" }]);
    assert.deepEqual(bodies[1], { n: 2 });
  });
});

describe("a loop over events", () => {
  let connections = 0;
  const origin = testServer((request, response) => serve(request, response));

  /** A thousand events, of which a connection sends some. It ends in the middle of an event, or after one. */
  function serve({ headers }: IncomingMessage, response: ServerResponse): void {
    connections += 1;
    const last = Number(headers["last-event-id"] ?? 0);
    if (last >= 1000) return void response.writeHead(204).end();
    if (connections % 7 === 3) return void response.writeHead(503, { "Retry-After": "0" }).end();
    response.writeHead(200, { "Content-Type": "text/event-stream" }).write("retry: 1\n\n");
    const until = Math.min(last + 97, 1000);
    for (let n = last + 1; n <= until; n += 1) response.write(`id: ${n}\nevent: tick\ndata: {"n":${n}}\n\n`);
    if (connections % 2 === 0) return void response.end();
    response.write(`id: ${until + 1}\nevent: tick\ndata: {"n":${until + 1}}\n`, () => response.destroy());
  }

  it("has each of a thousand events once, although connections break and end", async () => {
    const call = await calling(ticks, { baseUrl: origin() });
    const seen = (await all(call())) as { readonly data: { readonly n: number } }[];
    assert.deepEqual(
      seen.map(({ data }) => data.n),
      Array.from({ length: 1000 }, (_, at) => at + 1),
    );
    assert.deepEqual(seen[0], { event: "tick", data: { n: 1 }, id: "1" });
    assert.ok(connections > 11);
  });

  it("begins after an id, and leaves out events that the document does not name", async () => {
    const body = "retry: 1\nid: ü\nevent: other\ndata: x\n\nevent: done\ndata: {\n\n";
    const busy = jsonResponse(503, "problem", "application/problem+json");
    const { call, ids } = await answered(ticks, typed(body), new TypeError("reset"), busy, typed("id: 9\n\n"));
    assert.deepEqual(await all(call({ lastEventId: "7" })), [{ event: "done", data: "{", id: "ü" }]);
    assert.deepEqual(ids, ["7", "\u00c3\u00bc", "\u00c3\u00bc", "\u00c3\u00bc", "9"]);
  });

  it("throws a failure, also later; open() has the documented one as a result", async () => {
    const missing = (): Response => jsonResponse(404, "problem", "application/problem+json");
    const html = (): Response => new Response("<p>", { headers: { "Content-Type": "text/html" } });
    const { call } = await answered(
      ticks,
      missing(),
      missing(),
      typed("retry: 0\n\n"),
      missing(),
      html(),
      typed("data"),
    );
    await assert.rejects(all(call()), { name: "FailedResponseError", message: "the service responded with 404" });
    assert.deepEqual([(await call().open()).ok, (await call().open()).status], [false, 200]);
    await assert.rejects(all(call()), { name: "FailedResponseError" });
    await assert.rejects(all(call()), { name: "UnexpectedResponseError", mediaType: "text/html" });
    const own = await answered(ticks, typed("retry: 0\n\n"), new Error("the token cannot be renewed"));
    await assert.rejects(all(own.call()), { message: "the token cannot be renewed" });
    const invalid = await answered(ticks, typed("event: tick\ndata: {\n\n"));
    await assert.rejects(all(invalid.call()), { name: "UnexpectedResponseError", excerpt: "{" });
  });

  it("ends with the response without `reconnect`, and for a method that is not safe to repeat", async () => {
    const once = await answered(ticks, typed("event: done\ndata\n\n"), typed(""));
    assert.equal((await all(once.call({ reconnect: false }))).length, 1);
    const post = streamed({ "text/event-stream": { itemSchema: { oneOf } } }, {}, "post");
    const { call, ids } = await answered(post, typed("event: done\ndata\n\n"), typed("event: done\ndata\n\n"));
    assert.equal((await all(call())).length, 1);
    assert.deepEqual([once.ids.length, ids.length], [1, 1]);
  });

  it("ends the request if it is left, and reads no more than it gives", async () => {
    const state = { pulled: 0, isCancelled: false };
    const bytes = new TextEncoder().encode("event: done\ndata: 1\n\n");
    const endless = new ReadableStream({
      pull(controller) {
        state.pulled += 1;
        controller.enqueue(bytes);
      },
      cancel: () => void (state.isCancelled = true),
    });
    const { call } = await answered(ticks, typed(endless));
    let count = 0;
    for await (const event of call()) {
      assert.deepEqual(event, { event: "done", data: "1", id: "" });
      if ((count += 1) === 3) break;
    }
    assert.ok(state.pulled <= 6, `${state.pulled} pulled for ${count}`);
    assert.equal(state.isCancelled, true);
  });

  it("throws the reason of its signal, also while it waits to connect again", async () => {
    const { call } = await answered(ticks, typed("retry: 600000\nevent: done\ndata: 1\n\n"));
    const controller = new AbortController();
    const reading = all(call({ signal: controller.signal }));
    setImmediate(() => controller.abort(new Error("enough")));
    await assert.rejects(reading, { message: "enough" });
  });
});

describe("a loop over lines", () => {
  it("has the values of lines and of records, the last without its end too", async () => {
    const content = { "application/x-ndjson": { itemSchema: number }, "application/json-seq": { itemSchema: number } };
    const { call } = await answered(
      streamed(content),
      typed('{"n":1}\n\n{"n":2}\r\n{"n":3}', "application/x-ndjson"),
      typed('\u001e{"n":1}\n\u001e{"n":2}\n', "application/json-seq"),
      typed("{", "application/x-ndjson"),
      jsonResponse(400, "problem", "application/problem+json"),
    );
    assert.deepEqual(await all(call()), [{ n: 1 }, { n: 2 }, { n: 3 }]);
    assert.deepEqual(await all((await call().open()).body ?? assert.fail()), [{ n: 1 }, { n: 2 }]);
    await assert.rejects(all(call()), { name: "UnexpectedResponseError" });
    await assert.rejects(all(call()), { name: "FailedResponseError" });
    assert.deepEqual((await compiled({ "client.ts": clientOf(streamed(content)) })).errors, []);
  });
});

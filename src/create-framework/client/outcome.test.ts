/**
 * Tests what a client makes of responses: results, streams, and thrown errors.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clientOf, documentOf, eventsIn, jsonResponse, recorded, withoutResponse } from "./harness.testkit.ts";

const ok = { 200: { description: "", content: { "application/json": { schema: {} } } } };
const text = { type: "string" };

describe("a result", () => {
  it("makes a result of each documented response, including a problem", async () => {
    const problem = { content: { "application/problem+json": { schema: {} } } };
    const responses = {
      ...ok,
      202: { content: { "text/csv": {} } },
      204: {},
      409: problem,
      "5XX": problem,
      default: problem,
    };
    const { client, module } = await recorded(
      documentOf({ "/": { get: { operationId: "read", responses } } }),
      jsonResponse(200, { a: 1 }),
      new Response("a,b", { status: 202, headers: { "Content-Type": "text/csv; charset=utf-8" } }),
      new Response(null, { status: 204 }),
      ...[409, 503, 418].map((status) => jsonResponse(status, { title: status }, "application/problem+json")),
    );
    const results: Record<string, unknown>[] = [];
    for (let at = 0; at < 6; at += 1) results.push((await client["read"]?.({})) ?? {});
    assert.deepEqual(results.map(withoutResponse), [
      { ok: true, status: 200, body: { a: 1 } },
      { ok: true, status: 202, body: "a,b" },
      { ok: true, status: 204, body: undefined },
      { ok: false, status: 409, problem: { title: 409 } },
      { ok: false, status: 503, problem: { title: 503 } },
      { ok: false, status: 418, problem: { title: 418 } },
    ]);
    assert.deepEqual(module.unwrap(results[0] ?? {}), { a: 1 });
    assert.throws(() => module.unwrap(results[3] ?? {}), { name: "FailedResponseError", result: results[3] });
  });

  it("reads bytes as a blob, and leaves a stream to the caller", async () => {
    const content = { "image/png": {}, "application/x-ndjson": {}, "application/json": {} };
    const responses = { 200: { content }, 201: {} };
    const typed = (type: string): Response => new Response("bytes", { headers: { "Content-Type": type } });
    const { client } = await recorded(
      documentOf({ "/": { get: { operationId: "read", responses } } }),
      typed("image/png"),
      typed("application/x-ndjson"),
      jsonResponse(200, { a: 1 }),
    );
    const [image, stream, json] = [await client["read"]?.(), await client["read"]?.(), await client["read"]?.()];
    const untyped = await recorded(
      documentOf({ "/": { get: { operationId: "read", responses: { 200: { content: { "a/b": {} } } } } } }),
      new Response(Uint8Array.of(0xff, 0)),
    );
    const bytes = await untyped.client["read"]?.();
    assert.deepEqual([...new Uint8Array(await (bytes as { body: Blob }).body.arrayBuffer())], [0xff, 0]);
    assert.equal(await (image as { body: Blob }).body.text(), "bytes");
    assert.equal(await new Response((stream as { body: ReadableStream<Uint8Array> }).body).text(), "bytes");
    assert.deepEqual((json as { body: unknown }).body, { a: 1 });
  });

  it("accepts any success that the document does not name, and reads it by its type", async () => {
    const typed = (type: string, body: string | Uint8Array<ArrayBuffer> | null, status = 200): Response =>
      new Response(body, { status, headers: type === "" ? {} : { "Content-Type": type } });
    for (const responses of [{}, { "2XX": {}, "3XX": {} }, { 299: {}, 302: {} }, { 299: {}, 302: {}, default: {} }]) {
      const { client } = await recorded(
        documentOf({ "/": { get: { operationId: "read", responses } } }),
        jsonResponse(201, { a: 1 }),
        typed("text/csv; charset=utf-8", "a,b"),
        typed("application/json", null),
        typed("text/plain", ""),
        typed("", new Uint8Array(0)),
        new Response(null, { status: 204 }),
        typed("application/pdf", "bytes", 206),
      );
      const results: Record<string, unknown>[] = [];
      for (let at = 0; at < 6; at += 1) results.push(withoutResponse(await client["read"]?.()));
      assert.deepEqual(results, [
        { ok: true, status: 201, body: { a: 1 } },
        { ok: true, status: 200, body: "a,b" },
        { ok: true, status: 200, body: undefined },
        { ok: true, status: 200, body: undefined },
        { ok: true, status: 200, body: undefined },
        { ok: true, status: 204, body: undefined },
      ]);
      const file = (await client["read"]?.()) as { status: number; body: Blob };
      assert.deepEqual([file.status, file.body.type, await file.body.text()], [206, "application/pdf", "bytes"]);
    }
  });

  it("makes events of an event stream, for any split into chunks", async () => {
    const bytes = new TextEncoder().encode(
      "\ufeff: hello\r\nid: 7\ndata: a\rdata:  ü\r\n\r\nevent: tick\ndata\n\nevent: none\n\nid: x\0\nretry: 1\ndata:b:c\r\r" +
        "data: never ended",
    );
    for (const size of [1, 2, 3, bytes.length]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const { client } = await recorded(
        documentOf({
          "/": { get: { operationId: "read", responses: { 200: { content: { "text/event-stream": {} } } } } },
        }),
        new Response(ReadableStream.from(pieces), { headers: { "Content-Type": "text/event-stream" } }),
      );
      const events: object[] = [];
      for await (const event of eventsIn(await client["read"]?.())) events.push(event);
      assert.deepEqual(events, [
        { event: "message", data: "a\n ü", id: "7" },
        { event: "tick", data: "", id: "7" },
        { event: "message", data: "b:c", id: "7" },
      ]);
    }
  });

  it("cancels an event stream if its reader stops, and passes on its error", async () => {
    const event = new TextEncoder().encode("data: 1\n\n");
    const reasons: unknown[] = [];
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(event),
      cancel: (reason) => void reasons.push(reason),
    });
    let isSent = false;
    const broken = new ReadableStream({
      pull: (controller) => {
        if (isSent) controller.error(new Error("gone"));
        else controller.enqueue(event);
        isSent = true;
      },
    });
    const streamed = (body: ReadableStream): Response =>
      new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    const document = documentOf({ "/": { get: { operationId: "read", responses: { "2XX": {} } } } });
    const { client } = await recorded(document, streamed(endless), streamed(broken));
    const seen: string[] = [];
    for await (const { data } of eventsIn(await client["read"]?.())) {
      seen.push(data);
      break;
    }
    assert.deepEqual(reasons, [undefined]);
    await assert.rejects(
      async () => {
        for await (const { data } of eventsIn(await client["read"]?.())) seen.push(data);
      },
      { message: "gone" },
    );
    assert.deepEqual(seen, ["1", "1"]);
  });

  it("reads a range of all types by the actual type", async () => {
    const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
    const document = documentOf({
      "/": { get: { operationId: "read", responses: { 200: { content: { "*/*": { schema } } } } } },
      "/file": {
        get: {
          operationId: "file",
          responses: { 200: { content: { "*/*": { schema: { type: "string", format: "binary" } } } } },
        },
      },
    });
    const { client } = await recorded(document, jsonResponse(200, { a: 1 }));
    assert.deepEqual(withoutResponse(await client["read"]?.()), { ok: true, status: 200, body: { a: 1 } });
    const written = clientOf(document);
    assert.match(written, /type ReadResult = Ok<200, \{ readonly a: number \}>;/);
    assert.match(written, /type FileResult = Ok<200, Blob>;/);
  });

  it("throws for undocumented responses: a failure, a media type, invalid JSON", async () => {
    const problem = { content: { "application/problem+json": { schema: {} } } };
    const { client } = await recorded(
      documentOf({ "/": { get: { operationId: "read", responses: { ...ok, default: problem } } } }),
      new Response("<p>", { status: 502, headers: { "Content-Type": "text/html" } }),
      new Response("<p>", { status: 200, headers: { "Content-Type": "text/html" } }),
      new Response("{", { headers: { "Content-Type": "application/json" } }),
    );
    const messages = [
      "GET /: the response is 502 text/html, which its document does not name",
      "GET /: the response is 200 text/html, which its document does not name",
      "GET /: the response is 200 application/json, whose content is no JSON",
    ];
    for (const message of messages)
      await assert.rejects(
        async () => client["read"]?.(),
        (error: Error & { response?: unknown }) => {
          assert.deepEqual([error.name, error.message], ["UnexpectedResponseError", message]);
          return error.response instanceof Response;
        },
      );
  });

  it("gives each status its type, in exactly one member", () => {
    const json = (name: string): object => ({ content: { "application/json": { schema: { const: name } } } });
    const members = (responses: object): string =>
      /GetAResult =([^;]*);/
        .exec(clientOf(documentOf({ "/a": { get: { responses } } })))?.[1]
        ?.replaceAll(/\s*\n\s*\| /g, " | ")
        .trim() ?? "";
    assert.equal(
      members({ 200: json("a"), 404: json("b"), 422: json("c"), default: json("c") }),
      'Ok<200, "a"> | Failed<404, "b"> | Failed<Exclude<FailureStatus, 404>, "c">'.replace(/^/, ""),
    );
    assert.equal(
      members({ 204: {}, 404: json("b"), "4XX": json("c") }),
      'Ok<204, undefined> | Failed<404, "b"> | Failed<Exclude<ClientErrorStatus, 404>, "c">',
    );
    assert.equal(members({ 302: {} }), "Ok<SuccessStatus, unknown> | Failed<302, undefined>");
    assert.equal(
      members({
        200: { content: { "text/plain": {}, "application/json": { schema: text }, "text/event-stream": {} } },
      }),
      "Ok<200, string | AsyncIterable<ServerSentEvent>>",
    );
    assert.equal(members({ default: json("a") }), 'Ok<SuccessStatus, "a"> | Failed<FailureStatus, "a">');
    assert.equal(
      members({ 200: json("a"), 400: json("b"), "4XX": json("c"), default: json("b") }),
      '| Ok<200, "a"> | Failed<Exclude<FailureStatus, Exclude<ClientErrorStatus, 400>>, "b"> | Failed<Exclude<ClientErrorStatus, 400>, "c">',
    );
  });
});

/**
 * The client of a document: what it is called, what it sends, what it makes of what comes, and that a hostile document
 * stays text.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { clientOf, compiled, documentOf, jsonResponse, loaded, recorded, withoutResponse } from "./harness.testkit.ts";
import { writeClient } from "./write.ts";

const ok = { 200: { description: "", content: { "application/json": { schema: {} } } } };
const none = { 204: { description: "" } };
const text = { type: "string" };

/** The declaration of a component with that schema, without the words in front of it. */
function typeOf(schema: unknown, others: Record<string, unknown> = {}): string {
  const components = { schemas: { Subject: schema, ...others } };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Subject" } } };
  const written = clientOf(documentOf({ "/": { get: { responses: { 200: { content } } } } }, { components }));
  const found = /^export (?:type|interface) Subject (?:= )?([^]*?)\n(?:\n|\/\*\*|export)/m.exec(written)?.[1] ?? "";
  return found.replace(/;$/, "").replaceAll(/\s+/g, " ");
}

describe("writeClient", () => {
  it("CLIENT-001: writes one file without an import, the same for the same document", () => {
    const document = documentOf({ "/a": { get: { responses: ok } } });
    const written = clientOf(document);
    assert.equal(written, clientOf(structuredClone(document)));
    assert.doesNotMatch(written, /\b(?:import|require)\b/);
  });

  it("CLIENT-003: has a method for each operation, QUERY in the forms of 3.1 and 3.2, and says what it leaves out", async () => {
    const { client, sent } = await recorded(
      documentOf({
        "/a": { query: { operationId: "askNew", responses: none }, get: { responses: none } },
        "/b": { "x-query": { operationId: "askOld", responses: none }, "x-note": { text: "no operation" } },
        "/c": { additionalOperations: { PURGE: { operationId: "purge", responses: none } } },
      }),
    );
    for (const call of Object.values(client)) await call({});
    assert.deepEqual(Object.keys(client), ["askNew", "getA", "askOld", "purge"]);
    assert.deepEqual(
      sent.map(({ method, url }) => `${method} ${url}`),
      ["QUERY http://test/base/a", "GET http://test/base/a", "QUERY http://test/base/b", "PURGE http://test/base/c"],
    );
    const { leftOut } = writeClient(documentOf({ "/a": { trace: { responses: none } } }), "");
    assert.deepEqual(leftOut, ["left out: TRACE /a, which fetch does not send"]);
  });

  it("CLIENT-004: sends parameters where they belong, encoded", async () => {
    const parameters = [
      { name: "id", in: "path", schema: text },
      { name: "tags", in: "query", schema: { type: "array", items: text } },
      { name: "page", in: "query", schema: { type: "integer" } },
      { name: "all", in: "query", schema: { type: "boolean" } },
      { name: "ids", in: "query", explode: false, schema: { type: "array", items: { type: "integer" } } },
      { name: "filter", in: "query", style: "deepObject", schema: { type: "object", properties: { a: text } } },
      { name: "where", in: "query", content: { "application/json": { schema: {} } } },
      { name: "X-Tenant", in: "header", schema: text },
      { name: "Accept", in: "header", schema: text },
      { name: "session", in: "cookie", schema: text },
    ];
    const { client, sent } = await recorded(
      documentOf({ "/a/{id}/b": { get: { operationId: "show", parameters, responses: none } } }),
    );
    await client["show"]?.({
      params: { id: "a/b ?ü" },
      query: {
        tags: ["x", "y&z"],
        page: 2,
        all: false,
        ids: [1, 2],
        filter: { a: "b" },
        where: { c: [1] },
        gone: undefined,
      },
      headers: { "X-Tenant": "acme" },
      cookies: { session: "s;1" },
    });
    const query = "tags=x&tags=y%26z&page=2&all=false&ids=1,2&filter%5Ba%5D=b&where=%7B%22c%22%3A%5B1%5D%7D";
    assert.deepEqual(sent, [
      {
        method: "GET",
        url: `http://test/base/a/a%2Fb%20%3F%C3%BC/b?${query}`,
        headers: { "x-tenant": "acme", cookie: "session=s%3B1" },
        body: "",
      },
    ]);
  });

  it("CLIENT-004: rejects what would be another path: nothing, a dot, two dots", async () => {
    const parameters = [{ name: "id", in: "path", schema: text }];
    const labels = [{ name: "id", in: "path", style: "label", schema: text }];
    const { client, sent } = await recorded(
      documentOf({
        "/a/{id}": { delete: { operationId: "remove", parameters, responses: none } },
        "/b/{id}": { delete: { operationId: "label", parameters: labels, responses: none } },
      }),
    );
    const cases = [
      ...["", ".", "..", []].map((id) => ["remove", id, String(id)] as const),
      ...["", ".", []].map((id) => ["label", id, id === "." ? ".." : id === "" ? "." : ""] as const),
    ];
    for (const [name, id, shown] of cases)
      await assert.rejects(async () => client[name]?.({ params: { id } }), {
        name: "TypeError",
        message: `id is ${JSON.stringify(shown)}: that is no segment of a path`,
      });
    assert.deepEqual(sent, []);
  });

  it("CLIENT-004: writes a parameter of a path in its style, exploded or not", async () => {
    const styles = ["simple", "label", "matrix"].flatMap((style) => [
      { style, explode: false },
      { style, explode: true },
    ]);
    const path = (more: object): object => ({
      get: { parameters: [{ name: "i d", in: "path", ...more }], responses: none },
    });
    const { client, sent } = await recorded(
      documentOf({
        "/none/{i d}": path({ schema: text }),
        "/json/{i d}": path({ content: { "application/json": { schema: {} } } }),
        ...Object.fromEntries(styles.map((one, at) => [`/${at}/{i d}`, path({ ...one, schema: {} })])),
      }),
    );
    const values = ["a,b;c.d", [1, "2,3"], { x: "y,z", w: 1 }];
    for (const value of values) for (const call of Object.values(client)) await call({ params: { "i d": value } });
    assert.deepEqual(
      sent.map(({ url }) => url.slice("http://test/base/".length)),
      [
        ...["none/a%2Cb%3Bc.d", "json/%22a%2Cb%3Bc.d%22", "0/a%2Cb%3Bc.d", "1/a%2Cb%3Bc.d"],
        ...["2/.a%2Cb%3Bc.d", "3/.a%2Cb%3Bc.d", "4/;i%20d=a%2Cb%3Bc.d", "5/;i%20d=a%2Cb%3Bc.d"],
        ...["none/1,2%2C3", "json/%5B1%2C%222%2C3%22%5D", "0/1,2%2C3", "1/1,2%2C3"],
        ...["2/.1,2%2C3", "3/.1.2%2C3", "4/;i%20d=1,2%2C3", "5/;i%20d=1;i%20d=2%2C3"],
        ...["none/x,y%2Cz,w,1", "json/%7B%22x%22%3A%22y%2Cz%22%2C%22w%22%3A1%7D", "0/x,y%2Cz,w,1", "1/x=y%2Cz,w=1"],
        ...["2/.x,y%2Cz,w,1", "3/.x=y%2Cz.w=1", "4/;i%20d=x,y%2Cz,w,1", "5/;x=y%2Cz;w=1"],
      ],
    );
  });

  it("CLIENT-004: tells the values of a query from what separates them", async () => {
    const list = { type: "array", items: text };
    const parameters = [
      { name: "form", in: "query", explode: false, schema: list },
      { name: "space", in: "query", style: "spaceDelimited", schema: list },
      { name: "pipe", in: "query", style: "pipeDelimited", explode: false, schema: list },
    ];
    const { client, sent } = await recorded(
      documentOf({ "/": { get: { operationId: "find", parameters, responses: none } } }),
    );
    await client["find"]?.({ query: { form: ["a,b", "c d"], space: ["a,b", "c|d"], pipe: ["a,b", "c d"] } });
    await client["find"]?.({ query: { form: [], space: ["a"], pipe: "a|b" } });
    assert.deepEqual(
      sent.map(({ url }) => url.slice("http://test/base/".length)),
      ["?form=a%2Cb,c%20d&space=a%2Cb%20c%7Cd&pipe=a%2Cb%7Cc%20d", "?space=a&pipe=a%7Cb"],
    );
    for (const [name, delimiter] of [
      ["space", " "],
      ["pipe", "|"],
    ] as const)
      await assert.rejects(async () => client["find"]?.({ query: { [name]: ["a", `b${delimiter}c`] } }), {
        name: "TypeError",
        message: `${name} has a value with "${delimiter}" in it, which separates its values`,
      });
  });

  it("CLIENT-004: gives each part of a form its type", async () => {
    const file = { type: "string", format: "binary" };
    const object = { type: "object", properties: { a: text } };
    const properties = {
      plain: text,
      json: object,
      list: { type: "array", items: object },
      xml: text,
      file,
      any: file,
    };
    const encoding = {
      xml: { contentType: "application/xml; charset=utf-8" },
      file: { contentType: "image/png" },
      any: { contentType: "image/*, text/plain" },
      plain: { contentType: 'text/plain\r\nX-Injected: "1' },
    };
    const content = { "multipart/form-data": { schema: { type: "object", properties }, encoding } };
    const document = documentOf({ "/": { post: { operationId: "send", requestBody: { content }, responses: none } } });
    const { client, sent } = await recorded(document);
    await client["send"]?.({
      body: {
        'pl"a\nin': "a\nü",
        json: { a: "1" },
        list: [{ a: "2" }, { a: "3" }],
        xml: "<a/>",
        file: new Blob(["1"]),
        any: [new Blob(["2"]), new File(["3"], 'ü".txt', { type: "text/plain" })],
        gone: undefined,
        count: 1,
      },
    });
    const boundary =
      /^multipart\/form-data; boundary=(form-[\d-]+)$/.exec(sent[0]?.headers["content-type"] ?? "")?.[1] ?? "";
    const part = (name: string, value: string, type?: string, filename?: string): string =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n` +
      `${type === undefined ? "" : `Content-Type: ${type}\r\n`}\r\n${value}\r\n`;
    assert.equal(
      sent[0]?.body,
      [
        part("pl%22a%0D%0Ain", "a\nü"),
        part("json", '{"a":"1"}', "application/json"),
        part("list", '{"a":"2"}', "application/json"),
        part("list", '{"a":"3"}', "application/json"),
        part("xml", "<a/>", "application/xml; charset=utf-8"),
        part("file", "1", "image/png", "blob"),
        part("any", "2", "application/octet-stream", "blob"),
        part("any", "3", "text/plain", "ü%22.txt"),
        part("count", "1"),
        `--${boundary}--\r\n`,
      ].join(""),
    );
    assert.doesNotMatch(clientOf(document), /X-Injected/);
  });

  it("CLIENT-004: sends bodies as their media type says", async () => {
    const body = (type: string, schema: object): object => ({
      post: { requestBody: { required: true, content: { [type]: { schema } } }, responses: none },
    });
    const { client, sent } = await recorded(
      documentOf({
        "/json": body("application/merge-patch+json", {}),
        "/form": body("application/x-www-form-urlencoded", {
          properties: { a: { type: "array", items: text }, b: text },
        }),
        "/text": body("text/plain", text),
        "/bytes": body("application/octet-stream", {}),
        "/files": body("multipart/form-data", {
          properties: { name: text, file: { type: "string", format: "binary" } },
        }),
      }),
    );
    await client["postJson"]?.({ body: { a: [1] } });
    await client["postForm"]?.({ body: { a: ["x", "y z"], b: undefined } });
    await client["postText"]?.({ body: "ü" });
    await client["postBytes"]?.({ body: new Blob(["bytes"]) });
    await client["postFiles"]?.({ body: { name: "n", file: new Blob(["content"]) } });
    const shown = sent.map(({ headers, body }) => [headers["content-type"]?.split(";")[0], body]);
    assert.deepEqual(shown.slice(0, 4), [
      ["application/merge-patch+json", '{"a":[1]}'],
      ["application/x-www-form-urlencoded", "a=x&a=y+z"],
      ["text/plain", "ü"],
      ["application/octet-stream", "bytes"],
    ]);
    assert.equal(shown[4]?.[0], "multipart/form-data");
    assert.match(shown[4]?.[1] ?? "", /name="name"\r\n\r\nn\r\n[^]*name="file"; filename="blob"[^]*content\r\n/);
  });

  it("CLIENT-004: writes an object as JSON, or as its style says, and leaves the type of a range to the content", async () => {
    const object = { type: "object", properties: { a: text } };
    const parameters = [
      { name: "X-Filter", in: "header", content: { "application/json": { schema: object } } },
      { name: "seen", in: "cookie", content: { "application/json": { schema: object } } },
      { name: "box", in: "query", explode: false, schema: object },
      { name: "all", in: "query", schema: { type: "array", items: object } },
    ];
    const body = (type: string, schema: object): object => ({ content: { [type]: { schema } } });
    const { client, sent } = await recorded(
      documentOf({
        "/a": { get: { operationId: "read", parameters, responses: none } },
        "/form": {
          post: {
            operationId: "fill",
            requestBody: body("application/x-www-form-urlencoded", { properties: { o: object } }),
            responses: none,
          },
        },
        "/image": { post: { operationId: "draw", requestBody: body("image/*", {}), responses: none } },
      }),
    );
    const a = { a: "1" };
    await client["read"]?.({ headers: { "X-Filter": a }, cookies: { seen: a }, query: { box: a, all: [a] } });
    await client["fill"]?.({ body: { o: a } });
    await client["draw"]?.({ body: new Blob(["x"], { type: "image/png" }) });
    const json = "%7B%22a%22%3A%221%22%7D";
    assert.deepEqual(sent[0], {
      method: "GET",
      url: `http://test/base/a?box=a,1&all=${json}`,
      headers: { "x-filter": '{"a":"1"}', cookie: `seen=${json}` },
      body: "",
    });
    assert.deepEqual([sent[1]?.body, sent[2]?.headers["content-type"]], [`o=${json}`, "image/png"]);
  });

  it("CLIENT-003: leaves out a body that no fetch sends, and says so", async () => {
    const requestBody = { content: { "application/json": { schema: {} } } };
    const document = documentOf({ "/a": { get: { operationId: "find", requestBody, responses: none } } });
    const { client, sent } = await recorded(document);
    await client["find"]?.({ body: { a: 1 } });
    assert.deepEqual([sent[0]?.method, sent[0]?.body], ["GET", ""]);
    assert.deepEqual(writeClient(document, "").leftOut, ["left out: the body of GET /a, which fetch does not send"]);
  });

  it("CLIENT-005: makes a result of each documented response, a problem as well", async () => {
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

  it("CLIENT-005: reads bytes as a blob, and leaves a stream to be read", async () => {
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

  it("CLIENT-005: takes any success that the document does not name as it comes", async () => {
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

  it("CLIENT-005: makes events of an event stream, however it is cut into pieces", async () => {
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
      const { body } = (await client["read"]?.()) as { body: AsyncIterable<object> };
      const events: object[] = [];
      for await (const event of body) events.push(event);
      assert.deepEqual(events, [
        { event: "message", data: "a\n ü", id: "7" },
        { event: "tick", data: "", id: "7" },
        { event: "message", data: "b:c", id: "7" },
      ]);
    }
  });

  it("CLIENT-005: cancels an event stream whose reader has enough, and passes on what ends it", async () => {
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
    const read = async (): Promise<AsyncIterable<{ data: string }>> =>
      ((await client["read"]?.()) as { body: AsyncIterable<{ data: string }> }).body;
    const seen: string[] = [];
    for await (const { data } of await read()) {
      seen.push(data);
      break;
    }
    assert.deepEqual(reasons, [undefined]);
    await assert.rejects(
      async () => {
        for await (const { data } of await read()) seen.push(data);
      },
      { message: "gone" },
    );
    assert.deepEqual(seen, ["1", "1"]);
  });

  it("CLIENT-005: takes a range of all types as what comes", async () => {
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

  it("CLIENT-006: throws what the document does not name: a failure, a media type, JSON that is none", async () => {
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

  it("CLIENT-007: gives schemas their types", () => {
    const types: readonly (readonly [schema: unknown, type: string])[] = [
      [
        { type: "object", properties: { a: text, "b-c": { type: "integer" } }, required: ["a"] },
        '{ readonly a: string; readonly "b-c"?: number | undefined; }',
      ],
      [{ type: "array", items: { type: ["string", "null"] } }, "readonly (string | null)[]"],
      [{ type: "string", nullable: true }, "string | null"],
      [{ enum: ["a", 'b"', 1, null] }, '"a" | "b\\"" | 1 | null'],
      [{ const: { a: [true] } }, "{ readonly a: readonly [true] }"],
      [{ anyOf: [text, { type: "number" }, text] }, "string | number"],
      [
        { allOf: [{ properties: { a: text } }, { anyOf: [{ properties: { b: text } }, { type: "null" }] }] },
        "{ readonly a?: string | undefined; } & ({ readonly b?: string | undefined; } | null)",
      ],
      [{ type: "object", additionalProperties: { type: "number" } }, "{ readonly [name: string]: number; }"],
      [
        { type: "object", properties: { a: text }, additionalProperties: { type: "number" } },
        "{ readonly a?: string | undefined; readonly [name: string]: unknown; }",
      ],
      [{ prefixItems: [text, { type: "number" }], items: false, minItems: 2 }, "readonly [string, number]"],
      [{}, "unknown"],
      [false, "never"],
    ];
    assert.deepEqual(
      types.map(([schema]) => typeOf(schema)),
      types.map(([, type]) => type),
    );
  });

  it("CLIENT-007: leaves what is read-only out of what is sent, and what is write-only out of what comes", () => {
    const refer = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
    const components = {
      schemas: {
        Id: { type: "string", readOnly: true },
        Plain: { type: "object", properties: { a: text } },
        Order: {
          type: "object",
          properties: {
            id: refer("Id"),
            at: { allOf: [text], readOnly: true },
            name: text,
            secret: { type: "string", writeOnly: true },
            plain: refer("Plain"),
          },
          required: ["id", "at", "name", "secret"],
        },
        Page: { type: "object", properties: { orders: { type: "array", items: refer("Order") } } },
        Named: { allOf: [refer("Order"), { properties: { more: text } }], required: ["id", "secret", "more"] },
      },
    };
    const operation = {
      requestBody: { content: { "application/json": { schema: refer("Page") } } },
      responses: { 200: { content: { "application/json": { schema: { anyOf: [refer("Page"), refer("Named")] } } } } },
    };
    const inner = { post: { requestBody: { content: { "a/json": { schema: refer("Named") } } }, responses: none } };
    const written = clientOf(documentOf({ "/a": { post: operation }, "/b": inner }, { components }));
    const declared = [...written.matchAll(/^export (?:type|interface) (\w+) (?:= )?([^]*?)\n(?=\n)/gm)].map(
      ([, name = "", type = ""]) => `${name} ${type.replace(/;$/, "").replaceAll(/\s+/g, " ")}`,
    );
    assert.deepEqual(
      declared.filter((one) => /^(?:Id|Plain|Order|Page|Named)/.test(one)),
      [
        "Id string",
        "Named Order & { readonly more?: string | undefined; } & { readonly id: {} | null; readonly more: string; }",
        "NamedInput OrderInput & { readonly more?: string | undefined; } & { readonly secret: string; readonly more: string; }",
        "Order { readonly id: Id; readonly at: string; readonly name: string; readonly plain?: Plain | undefined; }",
        "OrderInput { readonly name: string; readonly secret: string; readonly plain?: Plain | undefined; }",
        "Page { readonly orders?: readonly Order[] | undefined; }",
        "PageInput { readonly orders?: readonly OrderInput[] | undefined; }",
        "Plain { readonly a?: string | undefined; }",
      ],
    );
  });

  it("CLIENT-007: demands what is required beside the schemas that define it, as what they say it is", async () => {
    const refer = { $ref: "#/components/schemas/Base" };
    const base = {
      type: "object",
      properties: { a: text, b: { type: "object", properties: { c: text } }, d: { type: "string", nullable: true } },
    };
    const required = ["a", "b", "d", "e"];
    const components = {
      schemas: {
        Base: base,
        Beside: { allOf: [refer], required },
        Within: { allOf: [refer, { required }] },
        Either: { ...base, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      },
    };
    const demanded = "{ readonly a: string; readonly b: {} | null; readonly d: string | null; readonly e: {} | null; }";
    const { Base: _, ...others } = components.schemas;
    assert.deepEqual(
      Object.fromEntries(Object.entries(others).map(([name, schema]) => [name, typeOf(schema, { Base: base })])),
      {
        Beside: `Base & ${demanded}`,
        Within: `Base & ${demanded}`,
        Either:
          "({ readonly a: string; } | { readonly b: {} | null; }) & { readonly a?: string | undefined; " +
          "readonly b?: { readonly c?: string | undefined } | undefined; readonly d?: string | null | undefined; }",
      },
    );
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Beside" } } };
    const written = clientOf(documentOf({ "/": { get: { responses: { 200: { content } } } } }, { components }));
    const caller =
      'import type { Beside } from "./client.ts";\nexport const c = (one: Beside): string | undefined => one.b.c;\n';
    assert.deepEqual((await compiled({ "client.ts": written, "caller.ts": caller })).errors, []);
  });

  it("CLIENT-007: has alternatives extend what they are alternatives of, and tells them apart", async () => {
    const refer = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
    const extending = (name: string, properties: object): object => ({
      type: "object",
      allOf: [refer(name), { type: "object", properties, required: Object.keys(properties) }],
    });
    const components = {
      schemas: {
        Pet: {
          type: "object",
          properties: { kind: text, name: text },
          required: ["kind", "name"],
          discriminator: { propertyName: "kind", mapping: { tom: "#/components/schemas/Cat", cat: "Cat" } },
          oneOf: [refer("Cat"), refer("Dog")],
        },
        Cat: extending("Pet", { lives: { type: "integer" } }),
        Dog: extending("Pet", { bark: { oneOf: [refer("Loud"), { type: "boolean" }] } }),
        Loud: { anyOf: [extending("Loud", { at: refer("Pet") }), { type: "null" }] },
        Shape: { discriminator: { propertyName: "kind" }, oneOf: [refer("Circle"), refer("Square")] },
        Circle: { allOf: [refer("Shape"), { properties: { kind: { const: "circle" }, radius: { type: "number" } } }] },
        Square: { properties: { kind: { enum: ["square"] }, side: { type: "number" } }, required: ["kind"] },
      },
    };
    const content = { "application/json": { schema: { prefixItems: [refer("Pet"), refer("Shape")], minItems: 2 } } };
    const written = clientOf(documentOf({ "/a": { get: { responses: { 200: { content } } } } }, { components }));
    const caller = `import type { Pet, PetBase, Shape } from "./client.ts";
export function told(pet: Pet): number | string | boolean | null | object {
  if (pet.kind === "Dog") return pet.bark;
  const kind: "tom" | "cat" = pet.kind;
  return kind + pet.lives.toFixed() + pet.name;
}
export const side = (shape: Shape): number | undefined => (shape.kind === "square" ? shape.side : shape.radius);
export const named = (pet: PetBase): string => pet.name;
`;
    assert.deepEqual((await compiled({ "client.ts": written, "caller.ts": caller })).errors, []);
    assert.match(written, /^export type Circle = \{/m);
    assert.doesNotMatch(written, /ShapeBase/);
  });

  it("CLIENT-007: works in proportion to the references that follow one another", () => {
    const row = Array.from({ length: 5000 }, (_, at) => ({ $ref: `#/components/schemas/S${at + 1}` }));
    const following: Readonly<Record<string, (next: object) => object>> = {
      alone: (next) => next,
      extended: (next) => ({ allOf: [next], required: ["id"] }),
      alternative: (next) => ({
        oneOf: [next, { type: "null" }],
        properties: { id: { type: "string", readOnly: true } },
      }),
    };
    for (const [how, of] of Object.entries(following)) {
      const last = { properties: { id: { type: "string", readOnly: true } } };
      const schemas = Object.fromEntries([...row.map((next, at) => [`S${at}`, of(next)]), ["S5000", last]]);
      const content = { "application/json": { schema: { $ref: "#/components/schemas/S0" } } };
      const document = documentOf({ "/": { post: { requestBody: { content }, responses: { 200: { content } } } } });
      const before = process.cpuUsage();
      const written = clientOf({ ...document, components: { schemas } });
      const { user } = process.cpuUsage(before);
      assert.equal(written.match(/^export type S\d+(?:Input)? /gm)?.length, 10_000, how);
      assert.ok(user < 5_000_000, `${how}: ${user / 1000} ms`);
    }
  });

  it("CLIENT-007: follows ten thousand references in a circle, and a name with a percent sign", () => {
    const refer = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
    const row = Array.from({ length: 10_000 }, (_, at) => [`S${at}`, refer(`S${(at + 1) % 10_000}`)] as const);
    const responses = {
      200: { content: { "application/json": { schema: { anyOf: [refer("S0"), refer("a%2541")] } } } },
    };
    const schemas = { ...Object.fromEntries(row), "a%41": text };
    const client = clientOf(documentOf({ "/a": { get: { responses } } }, { components: { schemas } }));
    assert.match(client, /export type S0 = unknown;/);
    assert.match(client, /export type A41 = string;/);
  });

  it("CLIENT-007: names what refers to itself, and gives what is nothing but itself no values", async () => {
    const components = {
      schemas: {
        Tree: {
          type: "object",
          properties: { children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
        },
        Json: {
          anyOf: [
            text,
            { type: "array", items: { $ref: "#/components/schemas/Json" } },
            { type: "object", additionalProperties: { $ref: "#/components/schemas/Json" } },
          ],
        },
        Circle: { anyOf: [{ $ref: "#/components/schemas/Other" }, { type: "null" }] },
        Other: { allOf: [{ $ref: "#/components/schemas/Circle" }] },
        Inner: {
          type: "object",
          properties: { a: { type: "object", properties: { b: { $ref: "#/components/schemas/Inner/properties/a" } } } },
        },
      },
    };
    const content = Object.fromEntries(
      Object.keys(components.schemas).map((name) => [
        `/${name}`,
        {
          get: {
            responses: {
              200: { content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } },
            },
          },
        },
      ]),
    );
    const written = clientOf(documentOf(content, { components }));
    assert.deepEqual((await compiled({ "client.ts": written })).errors, []);
    assert.match(written, /export interface Tree \{\n {2}readonly children\?: readonly Tree\[\] \| undefined;\n\}/);
    assert.match(written, /readonly b\?: A \| undefined;/);
  });

  it("CLIENT-008: makes identifiers of whatever things are called, each once", async () => {
    const ids = [
      "delete",
      "get-order by id",
      "getOrderById",
      "then",
      "constructor",
      "2fa",
      "日本",
      "",
      "__proto__",
      "a`${b}",
    ];
    const paths = Object.fromEntries(ids.map((operationId, at) => [`/${at}`, { get: { operationId, responses: ok } }]));
    const names = { Response: text, "order.line": text, OrderLine: text, "2": text, Client: text };
    const used = Object.keys(names).map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const all = {
      get: {
        operationId: "all",
        responses: { 200: { content: { "application/json": { schema: { prefixItems: used } } } } },
      },
    };
    const odd = { "/odd": { additionalOperations: { "M-SEARCH": { operationId: "2", responses: ok } } } };
    const signs = { "/": { additionalOperations: { "~": { responses: ok } } } };
    const written = clientOf(
      documentOf({ ...paths, ...odd, ...signs, "/all": all }, { components: { schemas: names } }),
    );
    const module = await loaded(written);
    assert.deepEqual(Object.keys(module.createClient({})), [
      "delete",
      "getOrderById",
      "getOrderById2",
      "thenOperation",
      "constructorOperation",
      "get2fa",
      "日本",
      "get",
      "proto",
      "aB",
      "msearch2",
      "call",
      "all",
    ]);
    for (const name of ["ResponseModel", "OrderLine", "OrderLine2", "Type2", "ClientModel"])
      assert.match(written, new RegExp(`^export type ${name} = string;$`, "m"));
    assert.deepEqual((await compiled({ "client.ts": written })).errors, []);
  });

  it("CLIENT-009: leaves every text of a hostile document a text", async () => {
    const attacks = [
      "*/ globalThis.attacked = true; /*",
      '"; globalThis.attacked = true; "',
      "`; globalThis.attacked = true; `",
      "${(globalThis.attacked = true)}",
      "\n globalThis.attacked = true; \r\u2028 globalThis.attacked = true; //",
      "\\",
      "__proto__",
      "@ts-nocheck",
      "//# sourceMappingURL=data:application/json,{}",
      "\u202e x \u0000",
      " | Ok<200, x> | Failed<1, y>",
    ];
    const files: Record<string, string> = {};
    for (const attack of attacks) {
      const ref = `#/components/schemas/${encodeURIComponent(attack.replaceAll("~", "~0").replaceAll("/", "~1"))}`;
      const schema = {
        description: attack,
        type: "object",
        properties: { [attack]: { enum: [attack], description: attack } },
        required: [attack],
      };
      const path = attack.replaceAll(/[{}]/g, "");
      const document = documentOf(
        {
          [`/${path}/{${path}}`]: {
            post: {
              operationId: attack,
              summary: attack,
              description: attack,
              deprecated: true,
              parameters: [
                { name: path, in: "path", description: attack, schema: { const: attack } },
                { name: attack, in: "query", explode: false, schema: { type: "array", items: { $ref: ref } } },
                { name: attack, in: "header", schema: text },
                { name: attack, in: "cookie", schema: text },
              ],
              requestBody: {
                description: attack,
                content: { [attack]: { schema: { $ref: ref } }, "a/json": { schema: { $ref: ref } } },
              },
              responses: {
                200: { description: attack, content: { [attack]: {}, "a/json": { schema: { $ref: ref } } } },
              },
            },
          },
        },
        {
          info: { title: attack, version: attack },
          servers: [{ url: `http://x/${attack.replaceAll(/[{}]/g, "")}` }],
          components: { schemas: { [attack]: schema } },
        },
      );
      const written = clientOf(document);
      files[`client${attacks.indexOf(attack)}.ts`] = written;
      assert.doesNotMatch(written, /^ *(?:\/\*\*| \*).*(?<!\\)@ts-|\/[/*]# ?sourceMappingURL|[\u2028\u202e]/m);
      const module = await loaded(written);
      const [call] = Object.values(module.createClient({ fetch: async () => new Response(null, { status: 418 }) }));
      await assert.rejects(async () =>
        call?.({ params: { [path]: "a" }, query: {}, headers: {}, cookies: {}, body: {} }),
      );
      assert.equal(Reflect.get(globalThis, "attacked"), undefined);
    }
    assert.ok(Object.values(files).every((text) => !text.includes("\0")));
    assert.deepEqual((await compiled(files)).errors, []);
  });

  it("CLIENT-010: takes headers, hooks, fetch and a signal", async () => {
    const module = await loaded(clientOf(documentOf({ "/": { get: { operationId: "read", responses: ok } } })));
    const seen: string[] = [];
    let token = 0;
    const client = module.createClient({
      baseUrl: "http://test",
      headers: async () => ({ Authorization: `Bearer ${(token += 1)}`, "X-None": undefined }),
      onRequest: (request: Request) => new Request(`${request.url}changed`, request),
      onResponse: (response: Response) => void seen.push(String(response.status)),
      fetch: async (request: Request) => {
        seen.push(`${request.url} ${JSON.stringify(Object.fromEntries(request.headers))}`);
        request.signal.throwIfAborted();
        return jsonResponse(200, {});
      },
    });
    await client["read"]?.();
    const controller = new AbortController();
    controller.abort(new Error("enough"));
    await assert.rejects(async () => client["read"]?.({ signal: controller.signal }), { message: "enough" });
    assert.deepEqual(seen, [
      'http://test/changed {"authorization":"Bearer 1"}',
      "200",
      'http://test/changed {"authorization":"Bearer 2"}',
    ]);
  });

  it("CLIENT-011: compiles in a strict project, with syntax alone that stripping removes", async () => {
    const spec = new URL("../../../../examples/shop/openapi.json", import.meta.url);
    const written = clientOf(JSON.parse(readFileSync(spec, "utf8")) as Record<string, unknown>);
    // The options have `erasableSyntaxOnly` and `isolatedDeclarations`; `make check` has TypeScript 5.9 and 6 compile it too.
    assert.deepEqual((await compiled({ "client.ts": written })).errors, []);
    assert.equal(
      (await compiled({ "client.ts": `${written}enum Colour { red }\n` }, "--noUnusedLocals", "false")).errors.length,
      1,
    );
  });

  it("takes the document's server where no base URL is given", async () => {
    const module = await loaded(
      clientOf(documentOf({ "/a": { get: { responses: none } } }, { servers: [{ url: "https://api.example/v1/" }] })),
    );
    const urls: string[] = [];
    const client = module.createClient({
      fetch: async (request: Request) => (urls.push(request.url), new Response(null, { status: 204 })),
    });
    await client["getA"]?.();
    assert.deepEqual(urls, ["https://api.example/v1/a"]);
  });

  it("says which status has which type, each in one member", () => {
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
    assert.equal(members({ 302: {} }), "Ok<SuccessStatus, unknown> | Failed<302, unknown>");
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

  it("does not mind a reference to nothing where no operation leads", () => {
    const unused = { properties: { a: { $ref: "other.json#/a" }, b: { $ref: "#/gone" }, c: { readOnly: true } } };
    const document = documentOf({ "/a": { get: { responses: none } } });
    assert.equal(clientOf({ ...document, components: { schemas: { unused } } }), clientOf(document));
  });

  const unreadable: Readonly<Record<string, readonly [document: Record<string, unknown>, says: string]>> = {
    "a reference out of the document": [
      documentOf({ "/a": { $ref: "other.json#/a" } }),
      'the document cannot be read: it refers to "other.json#/a", outside of the document: bundle it into one first',
    ],
    "a reference to nothing": [
      documentOf({ "/a": { get: { responses: { 200: { $ref: "#/components/responses/__proto__" } } } } }),
      'the document cannot be read: it refers to "#/components/responses/__proto__", which is not there',
    ],
    "a path parameter that nothing declares": [
      documentOf({ "/a/{id}": { get: { responses: none } } }),
      'GET /a/{id} has no parameter "id", which its path names',
    ],
    "a parameter that cannot be sent": [
      documentOf({ "/a": { get: { parameters: [{ name: "q", in: "querystring" }], responses: none } } }),
      'GET /a has the parameter "q" in "querystring": path, query, header and cookie can be sent',
    ],
    "a response without a status": [
      documentOf({ "/a": { get: { responses: { "200}": {} } } } }),
      'the document cannot be read: GET /a has a response "200}": that is no status',
    ],
  };
  for (const [what, [document, message]] of Object.entries(unreadable))
    it(`rejects ${what}`, () => {
      assert.throws(() => clientOf(document), { name: "DocumentError", message });
    });
});

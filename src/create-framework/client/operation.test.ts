/**
 * Tests the requests of a call: parameters in their styles, and bodies.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clientOf, documentOf, recorded } from "./harness.testkit.ts";

const none = { 204: { description: "" } };
const text = { type: "string" };

describe("a call", () => {
  it("sends parameters in their places, encoded", async () => {
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

  it("rejects a value that would change the path: empty, a dot, two dots", async () => {
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

  it("writes a path parameter in its style, exploded or not", async () => {
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
        "none/a%2Cb%3Bc.d",
        "json/%22a%2Cb%3Bc.d%22",
        "0/a%2Cb%3Bc.d",
        "1/a%2Cb%3Bc.d",
        "2/.a%2Cb%3Bc.d",
        "3/.a%2Cb%3Bc.d",
        "4/;i%20d=a%2Cb%3Bc.d",
        "5/;i%20d=a%2Cb%3Bc.d",
        "none/1,2%2C3",
        "json/%5B1%2C%222%2C3%22%5D",
        "0/1,2%2C3",
        "1/1,2%2C3",
        "2/.1,2%2C3",
        "3/.1.2%2C3",
        "4/;i%20d=1,2%2C3",
        "5/;i%20d=1;i%20d=2%2C3",
        "none/x,y%2Cz,w,1",
        "json/%7B%22x%22%3A%22y%2Cz%22%2C%22w%22%3A1%7D",
        "0/x,y%2Cz,w,1",
        "1/x=y%2Cz,w=1",
        "2/.x,y%2Cz,w,1",
        "3/.x=y%2Cz.w=1",
        "4/;i%20d=x,y%2Cz,w,1",
        "5/;x=y%2Cz;w=1",
      ],
    );
  });

  it("distinguishes the values of a query from their separators", async () => {
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

  it("gives each part of a form its type", async () => {
    const file = { type: "string", format: "binary" };
    const object = { type: "object", properties: { a: text } };
    const properties = {
      plain: text,
      quoted: text,
      json: object,
      list: { type: "array", items: object },
      xml: text,
      file,
      any: file,
    };
    const encoding = {
      xml: { contentType: "application/xml; charset=utf-8" },
      quoted: { contentType: "application/json" },
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
        quoted: "b",
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
        part("quoted", '"b"', "application/json"),
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

  it("sends bodies in the format of their media type", async () => {
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

  it("writes an object as JSON, or in its style, and takes the type of a range from the content", async () => {
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
});

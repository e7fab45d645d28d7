/** Unit tests of lazy-response.ts (CTX): it behaves as a Response, and none is made until something reads it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { created } from "../testing/harness.testkit.ts";
import { LazyResponse, type Handler } from "../index.ts";
import { isResponse } from "./web-values.ts";

type Make = (kind: typeof Response) => Response;

/** Ways to make a Response, the same for both kinds. */
const makers: Readonly<Record<string, Make>> = {
  "a text": (kind) => new kind("hello"),
  "a text of its own type": (kind) => new kind("<p>", { headers: { "content-type": "text/html", ETag: '"1"' } }),
  "an empty text": (kind) => new kind(""),
  "a text in another alphabet": (kind) => new kind("größer", { status: 201 }),
  bytes: (kind) => new kind(Uint8Array.of(0, 255)),
  nothing: (kind) => new kind(),
  "a status without a body": (kind) => new kind(null, { status: 204 }),
  JSON: (kind) => kind.json({ a: [1] }),
  "JSON of a type of its own": (kind) => kind.json({ a: 1 }, { headers: { "Content-Type": "application/x+json" } }),
  "JSON and another header": (kind) => kind.json(null, { status: 202, headers: { "X-A": "1" } }),
  "JSON and headers that are not plain": (kind) => kind.json(1, { headers: new Headers([["X-A", "1"]]) }),
  "a header whose name is as long as Content-Type": (kind) => new kind("h", { headers: { "X-Request-Id": "1" } }),
  "a status with a text of its own": (kind) => new kind("h", { status: 200, statusText: "Fine" }),
  "a value that is not a text": (kind) => new kind("h", { headers: { "X-A": 1 as unknown as string } }),
  "a value that is empty": (kind) => new kind("h", { headers: { "X-A": "" } }),
  "a cookie": (kind) => new kind("c", { headers: { "Set-Cookie": "a=1; Path=/" } }),
  "a name twice": (kind) => new kind("2", { headers: { "X-A": "1", "x-a": "2" } }),
  "headers that are not plain": (kind) => new kind("h", { headers: new Headers([["X-A", "1"]]) }),
  "a list of headers": (kind) => new kind("h", { headers: [["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"]] }), // prettier-ignore
  "a value with blanks around it": (kind) => new kind("h", { headers: { "X-A": " 1 " } }),
  "a stream": (kind) => new kind(new Blob(["stre", "am"]).stream()),
  "a form": (kind) => new kind(new URLSearchParams({ a: "1" })),
  "a redirect": (kind) => kind.redirect("http://h/there", 307),
};

/** The names that `for … in` and `Object.keys` find. */
function namesOf(value: object): string[] {
  const names: string[] = [];
  for (const name in value) names.push(name);
  return names.toSorted();
}

/** Everything visible of a Response. */
async function seen(response: Response): Promise<unknown> {
  const { status, ok, statusText, type, url, redirected, bodyUsed } = response;
  const bytes = await response.clone().arrayBuffer();
  return {
    status,
    ok,
    statusText,
    type,
    url,
    redirected,
    bodyUsed,
    isNull: response.body === null,
    tag: Object.prototype.toString.call(response),
    names: namesOf(response),
    headers: [...response.headers],
    bytes: [...new Uint8Array(bytes)],
    text: await response.text(),
    isUsed: response.bodyUsed,
  };
}

async function sent(handler: Handler): Promise<unknown> {
  const response = await created().app.get("/", handler).fetch(new Request("http://h/"));
  const headers = [...response.headers].filter(([name]) => name !== "content-length");
  return { status: response.status, headers, text: await response.text() };
}

/** The names of the errors that an attempt throws. */
function thrown(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
  return "nothing";
}

describe("LazyResponse", () => {
  for (const [title, make] of Object.entries(makers)) {
    test(`equals a Response: ${title}`, async () => {
      const lazy = make(LazyResponse);
      assert.ok(lazy instanceof Response && isResponse(lazy));
      assert.deepEqual(await seen(lazy), await seen(make(Response)));
    });

    test(`is sent as the Response would be: ${title}`, async () => {
      const lazy = await sent(() => make(LazyResponse));
      const native = await sent(() => make(Response));
      assert.deepEqual(lazy, native);
    });
  }

  test("throws the same errors as a Response, at construction", () => {
    const wrong: readonly Make[] = [
      (kind) => new kind("x", { status: 199 }),
      (kind) => new kind("x", { status: 204 }),
      (kind) => new kind("x", { status: 600 }),
      (kind) => new kind("x", { headers: { "a b": "1" } }),
      (kind) => new kind("x", { headers: { a: "1\r\nb: 2" } }),
      (kind) => new kind("x", { headers: { a: "€" } }),
      (kind) => kind.json(undefined),
      (kind) => kind.json(0n),
      (kind) => kind.redirect("/", 200),
    ];
    for (const make of wrong)
      assert.equal(
        thrown(() => make(LazyResponse)),
        thrown(() => make(Response)),
        String(make),
      );
    assert.equal(LazyResponse.error().type, "error");
    assert.equal(new LazyResponse("x").constructor, LazyResponse);
  });

  test("is sent with its true length in one piece, including later changes", async () => {
    const { app } = created();
    app.get("/plain", () => new LazyResponse("größer", { headers: { "Content-Length": "1", Connection: "close" } }));
    app.get("/changed", () => {
      const response = new LazyResponse("hello");
      response.headers.set("X-A", "1");
      return response;
    });
    const plain = await app.fetch(new Request("http://h/plain"));
    assert.deepEqual([plain.headers.get("content-length"), plain.headers.get("connection")], ["8", null]);
    const changed = await app.fetch(new Request("http://h/changed"));
    assert.deepEqual([changed.headers.get("x-a"), await changed.text()], ["1", "hello"]);
  });

  test("keeps a copy of the given bytes", async () => {
    const bytes = Uint8Array.of(1, 2);
    const { app } = created();
    app.get("/", () => {
      const response = new LazyResponse(bytes);
      bytes.fill(9);
      return response;
    });
    const response = await app.fetch(new Request("http://h/"));
    assert.deepEqual([...new Uint8Array(await response.arrayBuffer())], [1, 2]);
  });

  test("has methods that can be replaced, as any Response has", async () => {
    const [lazy, native] = [new LazyResponse("x"), new Response("x")];
    for (const response of [lazy, native]) response.text = () => Promise.resolve("replaced");
    assert.deepEqual([await lazy.text(), await native.text()], ["replaced", "replaced"]);
  });

  test("is consumed when sent, and a second use is an error, as for any Response", async () => {
    const response = new LazyResponse("once");
    const { app, errors } = created();
    app.get("/", () => response);
    const statuses = [];
    for (let n = 0; n < 2; n += 1) statuses.push((await app.fetch(new Request("http://h/"))).status);
    assert.deepEqual([statuses, response.bodyUsed, errors.length], [[200, 500], true, 1]);
    await assert.rejects(response.text());
  });
});

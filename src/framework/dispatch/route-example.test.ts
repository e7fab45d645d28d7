/** Examples of routes: their form for tools, and invalid ones (ROUTE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Framework } from "../index.ts";

const registering = (example: unknown, path = "/orders/{id}/lines"): Framework =>
  Framework.create().post(path, { example: example as never }, () => "x");

describe("a route's example", () => {
  it("is listed with its values as text and its body as JSON", () => {
    const body = { price: 1.5, at: new Date(0), not: undefined };
    const app = registering({ path: { id: 7 }, query: { tag: ["a", 2], all: true }, headers: { "X-A": "1" }, body });
    assert.deepEqual(app.routes()[0]?.example, {
      path: { id: "7" },
      query: { tag: ["a", "2"], all: ["true"] },
      headers: { "X-A": "1" },
      body: { price: 1.5, at: "1970-01-01T00:00:00.000Z" },
    });
    assert.deepEqual(registering({}).routes()[0]?.example, { path: {}, query: {}, headers: {} });
    assert.equal(
      "example" in
        (Framework.create()
          .get("/", () => "x")
          .routes()[0] ?? {}),
      false,
    );
  });

  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const wrong: Readonly<Record<string, readonly [example: unknown, sentence: RegExp]>> = {
    "no object": ["x", /POST \/orders\/\{id\}\/lines has an example that is "x": an object is allowed$/],
    "null instead of an object": [null, /has an example that is null: an object is allowed$/],
    "an unknown part": [{ params: {} }, /with the part "params": path, query, headers, body are allowed/],
    "a path that is no object": [{ path: "7" }, /whose path is no object$/],
    "a query that is no object": [{ query: "a=1" }, /whose query is no object$/],
    "headers that are no object": [{ headers: ["x-a"] }, /whose headers is no object$/],
    "a path parameter that the route lacks": [
      { path: { ID: 7 } },
      /with the path parameter "ID": it has id; did you mean id\?/,
    ],
    "a body without a JSON form": [{ body: circular }, /whose body has no JSON form$/],
    "a function for a body": [{ body: () => 1 }, /whose body has no JSON form$/],
  };
  for (const [what, [example, message]] of Object.entries(wrong))
    it(`is rejected with ${what}`, () =>
      assert.throws(() => registering(example), { name: "TypeError", code: "ROUTE_OPTIONS", message }));

  it("is rejected with a list of the existing path parameters", () => {
    const given = { path: { x: 1 } };
    assert.throws(() => registering(given, "/a/{b}/{c}"), /with the path parameter "x": it has b, c/);
    assert.throws(() => registering(given, "/a"), /with the path parameter "x": it has none$/);
  });
});

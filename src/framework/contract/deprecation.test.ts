/** Deprecated routes and groups: the headers of their responses (CONTRACT-050). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Framework, HttpError, type SharedOptions } from "framework";

const dated = { since: "2026-11-01", sunset: new Date("2027-05-01T10:00:00Z"), link: "https://docs.example/v2" };
const fields = ["@1793491200", "Sat, 01 May 2027 10:00:00 GMT", '<https://docs.example/v2>; rel="deprecation"'];

/** The three headers of a response. */
const announced = (response: Response): unknown[] =>
  ["deprecation", "sunset", "link"].map((name) => response.headers.get(name));

describe("deprecated", () => {
  test("announces a group's dates in every response of its routes, errors and inner groups too", async () => {
    const app = Framework.create({ logger: { warn: () => undefined, error: () => undefined } });
    app.group("/v1", { deprecated: dated }, (v1) => {
      v1.get("/ok", () => "ok").get("/teapot", () => Promise.reject(new HttpError(418)));
      v1.get("/broken", () => Promise.reject(new Error("broken")));
      v1.group("/in", (inner) => inner.get("/side", () => "side"));
    });
    for (const path of ["/v1/ok", "/v1/teapot", "/v1/broken", "/v1/in/side"])
      assert.deepEqual(announced(await app.request(path)), fields, path);
    for (const [path, method] of [
      ["/v1/none", "GET"],
      ["/v1/ok", "PUT"],
    ] as const)
      assert.deepEqual(announced(await app.request(path, { method })), [null, null, null], path);
  });

  test("is that of the route, else that of the nearest group", async () => {
    const app = Framework.create();
    app.group("/v1", { deprecated: dated }, (v1) => {
      v1.get("/own", { deprecated: { since: "2026-12-01" } }, () => "own");
      v1.get("/kept", { deprecated: false }, () => "kept").get("/undated", { deprecated: true }, () => "undated");
      v1.group("/in", { deprecated: { since: "2027-01-01" } }, (inner) => inner.get("/side", () => "side"));
    });
    const since = async (path: string) => (await app.request(path)).headers.get("deprecation");
    const seen = [
      await since("/v1/own"),
      await since("/v1/kept"),
      await since("/v1/undated"),
      await since("/v1/in/side"),
    ];
    assert.deepEqual(seen, ["@1796083200", null, null, "@1798761600"]);
  });

  test("adds its Link to those of the handler", async () => {
    const app = Framework.create().get("/a", { deprecated: dated }, (ctx) => {
      ctx.appendHeader("Link", '</next>; rel="next"');
      return "a";
    });
    assert.equal((await app.request("/a")).headers.get("link"), `</next>; rel="next", ${fields[2]}`);
  });

  const wrong: Record<string, [deprecated: unknown, message: RegExp]> = {
    "a since that is no date": [{ since: "soon" }, /deprecated has since: "soon", which is not a date/],
    "no since": [{ sunset: "2027-01-01" }, /deprecated has since: undefined, which is not a date/],
    "a sunset before since": [{ since: "2027-01-01", sunset: "2026-01-01" }, /its sunset before its since/],
    "a link that leaves its header": [
      { since: "2027-01-01", link: "https://a.example/>; rel=x" },
      /which is not a URL/,
    ],
  };
  for (const [title, [deprecated, message]] of Object.entries(wrong))
    test(`throws on ${title}, in a route and in a group`, () => {
      const options = { deprecated } as SharedOptions;
      const expected = { code: "ROUTE_OPTIONS", message };
      assert.throws(() => Framework.create().get("/a", options, () => "a"), expected);
      assert.throws(() => Framework.create().group("/a", options, () => undefined), expected);
    });
});

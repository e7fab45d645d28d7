/** Renamed members: a call of the old name throws an error with the new one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Framework } from "../index.ts";

describe("an old name throws the new one", () => {
  const handler = (): string => "handled";

  it("of the app and of a group", () => {
    const app = Framework.create() as Framework & Record<"exception" | "error", (...args: unknown[]) => unknown>;
    const told = (message: string): object => ({ name: "TypeError", code: "RENAMED", message });
    assert.throws(
      () => app.exception(Error, handler),
      told("app.exception(Class, handler) is app.onError(Class, handler) now"),
    );
    assert.throws(
      () => app.error(404, handler),
      told("app.error(status, handler) is app.onStatus(status, handler) now"),
    );
    app.group("/a", (group) =>
      assert.throws(
        () => (group as unknown as typeof app).exception(Error, handler),
        told("group.exception(Class, handler) is group.onError(Class, handler) now"),
      ),
    );
  });

  it("of a context", async () => {
    type Old = { header(name: string, value: string): unknown; readonly pathParams: unknown };
    const app = Framework.create({ logger: { error: () => undefined } })
      .onError(TypeError, (error, ctx) => ctx.json([(error as TypeError & { code: string }).code, error.message]))
      .get("/header", (ctx) => (ctx as unknown as Old).header("X-A", "b"))
      .get("/params/{id}", (ctx) => (ctx as unknown as Old).pathParams);
    assert.deepEqual(
      [await (await app.request("/header")).json(), await (await app.request("/params/7")).json()],
      [
        ["RENAMED", "ctx.header(name, value) is ctx.setHeader(name, value) now"],
        ["RENAMED", "ctx.pathParams is ctx.params now"],
      ],
    );
  });
});

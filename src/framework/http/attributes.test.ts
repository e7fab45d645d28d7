import assert from "node:assert/strict";
import { inspect } from "node:util";
import { describe, test } from "node:test";
import { Attribute, Framework } from "../index.ts";

interface User {
  readonly id: number;
}

describe("Attribute", () => {
  test("two keys with one name are two attributes, and neither is the plain name", async () => {
    const mine: Attribute<User> = Attribute("user");
    const yours: Attribute<string> = Attribute("user");
    const app = Framework.create().get("/", (ctx) => {
      const before = ctx.attribute(mine);
      ctx.attribute(mine, { id: 1 }).attribute(yours, "ada").attribute("user", 7);
      ctx.attribute(mine, { id: 2 });
      return [before === undefined, ctx.attribute(mine)?.id, ctx.attribute(yours), ctx.attribute("user")];
    });
    assert.deepEqual(await (await app.request("/")).json(), [true, 2, "ada", 7]);
  });

  test("a key carries the type of its value, exactly", () => {
    const key: Attribute<User> = Attribute("user");
    Framework.create().get("/", (ctx) => {
      const id: number | undefined = ctx.attribute(key)?.id;
      // @ts-expect-error -- not the type of the key
      ctx.attribute(key, { id: "7" });
      // @ts-expect-error -- code with this key may set what others do not expect
      const wider: Attribute<object> = key;
      return [id, wider.name];
    });
  });

  test("a key shows its name and cannot be changed", () => {
    const key = Attribute<User>("user");
    assert.deepEqual([String(key), key.name, Object.isFrozen(key)], ['Attribute("user")', "user", true]);
    assert.equal(Object.prototype.toString.call(key), "[object Attribute user]");
    assert.match(inspect(key), /user/);
  });

  test("a key without a name is an error", () => {
    assert.throws(() => Attribute(" "), {
      code: "ATTRIBUTE_INVALID",
      message: 'Attribute(" ") lacks a name: Attribute<User>("user")',
    });
    assert.throws(() => Attribute(undefined as unknown as string), {
      code: "ATTRIBUTE_INVALID",
      message: 'Attribute(undefined) lacks a name: Attribute<User>("user")',
    });
  });
});

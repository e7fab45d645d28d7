/** Unit tests of logged-error.ts: the log form of untrusted errors (LOG). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";
import { isError, loggedError, reasonOf } from "./logged-error.ts";

/** Without stacks, which differ by runtime. */
function bare(error: object): unknown {
  return JSON.parse(JSON.stringify(loggedError(error), (key, value: unknown) => (key === "stack" ? undefined : value)));
}

const throws = (): never => assert.fail("looked at");
const named = (message: string): unknown => ({ name: "Error", message });

describe("loggedError", () => {
  const errors: Readonly<Record<string, readonly [error: object, data: unknown]>> = {
    "a code that is not enumerable, and own members that are no objects": [
      Object.assign(Object.defineProperty(new Error("e"), "code", { value: "E" }), {
        errno: -111,
        big: 1n,
        request: {},
      }),
      { name: "Error", message: "e", code: "E", errno: -111, big: "1" },
    ],
    "a cause that is not an error": [new Error("e", { cause: "text" }), { name: "Error", message: "e", cause: "text" }],
    "a cause that is an object, by its members": [
      new Error("e", { cause: { a: 1, inner: {}, cause: new Error("c") } }),
      { name: "Error", message: "e", cause: { a: 1, cause: named("c") } },
    ],
    "nothing of a cause that is null": [new Error("e", { cause: null }), named("e")],
    "a member called __proto__ as a member": [
      Object.defineProperty(new Error("e"), "__proto__", { value: "p", enumerable: true }),
      JSON.parse('{"name":"Error","message":"e","__proto__":"p"}'),
    ],
    "no more than 20 members": [
      Object.assign(new Error("e"), Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`m${at}`, at]))),
      { name: "Error", message: "e", ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`m${at}`, at])) },
    ],
    "no more than 20 errors": [
      new AggregateError(
        Array.from({ length: 1_000 }, (_, at) => new Error(String(at))),
        "many",
      ),
      {
        name: "AggregateError",
        message: "many",
        errors: [...Array.from({ length: 19 }, (_, at) => named(String(at))), "… 981 more"],
      },
    ],
    "no getter that throws": [
      Object.defineProperties(new Error("e"), {
        stack: { get: throws },
        code: { get: throws },
        cause: { get: throws },
        errors: { get: throws },
        own: { get: throws, enumerable: true },
      }),
      named("e"),
    ],
    "nothing of a proxy whose traps throw": [
      new Proxy(new Error("e"), { get: throws, ownKeys: throws, getPrototypeOf: throws }),
      {},
    ],
    "no errors of a list that throws": [
      Object.assign(new Error("e"), { errors: new Proxy([1], { get: throws }) }),
      named("e"),
    ],
  };
  for (const [what, [error, data]] of Object.entries(errors))
    test(`shows ${what}`, () => assert.deepEqual(bare(error), data));

  test("terminates for an error that is its own cause, or one of its own errors", () => {
    const error: Error & { errors?: unknown[] } = new Error("e");
    error.cause = new Error("c", { cause: error });
    error.errors = [error, new Error("other")];
    assert.deepEqual(bare(error), { ...Object(named("e")), cause: named("c"), errors: [named("other"), "… 1 more"] });
  });

  test("is bounded in depth and in characters", () => {
    let deep = new Error("0");
    for (let at = 1; at < 10_000; at += 1) deep = new Error("x".repeat(100_000), { cause: deep });
    const text = JSON.stringify(loggedError(deep));
    assert.ok(text.length < 70_000, `${text.length}`);
    assert.equal(text.match(/"message"/g)?.length, 20);
    assert.ok(reasonOf(deep).length < 70_000);
  });
});

describe("isError", () => {
  test("recognizes an error of another realm, and survives a proxy", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    assert.deepEqual([runInNewContext("new TypeError()"), new Error(), {}, null, proxy].map(isError), [
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

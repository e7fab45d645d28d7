/**
 * Parameters: the names of a method's arguments.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runInThisContext } from "node:vm";
import { type Callable, parametersOf } from "./parameters.ts";

/** Functions in plain JavaScript, since the compiler would rewrite some. */
const made = (text: string): Callable => runInThisContext(`(${text})`) as Callable;
const method = (text: string): Callable => made(`Object.values({ ${text} })[0]`);

const cases: Readonly<Record<string, readonly [method: Callable, names: readonly string[] | undefined]>> = {
  "a method": [method("find(id, limit) {}"), ["id", "limit"]],
  "an async method with defaults": [method("async find(id = 'a,b', limit = max(1, [2, 3])) {}"), ["id", "limit"]],
  "a generator": [method("async *walk(from) {}"), ["from"]],
  "an arrow": [made("(a, b) => a"), ["a", "b"]],
  "an arrow of one": [made("async id => id"), ["id"]],
  "an arrow of one, written close": [made("order=>order"), ["order"]],
  "an arrow of one, written wide": [made("async  order  => order"), ["order"]],
  "a function": [made("function (a) {}"), ["a"]],
  "a function with a name": [made("function  named(a) {}"), ["a"]],
  "a method, written wide": [method("async  * walk  (from, ) {}"), ["from"]],
  "a method with an arrow in it": [method("f(id) { return [id].map(x => x); }"), ["id"]],
  "a default between double quotes": [method('f(a = "b, c", d) {}'), ["a", "d"]],
  "a default that ends beyond what is looked at": [method(`f(a = "${"x".repeat(3_000)}") {}`), undefined],
  "a name with letters beyond ASCII": [method("f(größe, id) {}"), ["", "id"]],
  "a name that is escaped": [made(String.raw`(\u0061) => 1`), undefined],
  "a name between quotes": [method('"a) b"(x) {}'), undefined],
  "a parameter taken apart, and the rest": [
    method("f(id, { limit = 10, ...x } = {}, ...rest) {}"),
    ["id", "", "...rest"],
  ],
  "no parameter": [method("f() {}"), undefined],
  "a computed name": [method("['a' + (1)](x) {}"), undefined],
  "a comment": [method("f(a /* , b */) {}"), undefined],
  "a template": [method("f(a = `)`, b) {}"), undefined],
  "native code": [Math.max as Callable, undefined],
  "a bound function": [made("(a) => a").bind(null) as Callable, undefined],
};

describe("parametersOf", () => {
  for (const [what, [of, names]] of Object.entries(cases))
    it(`reads ${what}`, () => {
      assert.deepEqual(parametersOf(of), names);
      assert.deepEqual(parametersOf(of), names);
    });
});

/**
 * Snapshots: the table of values that JSON lacks, the bounds, and that no code of the value ever runs.
 */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Json } from "../wire.ts";
import { cpuMs } from "./cpu-time.test.ts";
import { createRedactor } from "./redact.ts";
import { Snapshotter } from "./snapshot.ts";

const runs = Number(process.env["FC_RUNS"] ?? 1_000);
const limits = { stringChars: 16_384, depth: 8, items: 100, nodes: 5_000, snapshotBytes: 262_144 };
const bean = { secretInside: 1 };

const snapshots = (
  given: Partial<typeof limits> = {},
  forms: ReadonlyMap<object, (value: object) => unknown> = new Map(),
): Snapshotter =>
  new Snapshotter({
    limits: { ...limits, ...given },
    redactor: createRedactor({}),
    forms,
    nameOf: (value) => (value === bean ? { $bean: "B" } : undefined),
    quietly: (run) => run(),
  });

const shown = (value: unknown, given: Partial<typeof limits> = {}): Json => snapshots(given).take(value).json;

class Money {
  readonly #cents = 5;
  readonly currency = "EUR";
  get cents(): number {
    return this.#cents;
  }
}
class Coins extends Money {}
/** Private methods and static fields hide no data of an instance. */
class Plain {
  static #made = 0;
  readonly a: number = this.#one();
  #one(): number {
    return Plain.#made + 1;
  }
}
class NotThere extends Error {}

const circular: { self?: unknown; n: number } = { n: 1 };
circular.self = circular;

const table: readonly (readonly [what: string, value: unknown, json: Json])[] = [
  ["null", null, null],
  ["a number", 1.5, 1.5],
  ["a bigint", 10n ** 20n, { $bigint: "100000000000000000000" }],
  ["NaN", Number.NaN, { $number: "NaN" }],
  ["Infinity", [Infinity, -Infinity], [{ $number: "Infinity" }, { $number: "-Infinity" }]],
  ["minus zero", -0, { $number: "-0" }],
  ["undefined", { a: undefined }, { a: { $undefined: true } }],
  ["a symbol", Symbol("s"), { $symbol: "s" }],
  ["a function", function named() {}, { $function: "named" }],
  ["a date", new Date(0), { $date: "1970-01-01T00:00:00.000Z" }],
  ["a date that is none", new Date(Number.NaN), { $date: "Invalid Date" }],
  [
    "a map",
    new Map<unknown, unknown>([
      ["a", 1],
      ["token", "x"],
    ]),
    {
      $map: [
        ["a", 1],
        ["token", "[redacted]"],
      ],
    },
  ],
  ["a set", new Set([1, "b"]), { $set: [1, "b"] }],
  ["bytes", new Uint8Array(7), { $bytes: 7 }],
  ["a buffer's memory", new ArrayBuffer(3), { $bytes: 3 }],
  ["an error", new TypeError("no"), { $error: { name: "TypeError", message: "no" } }],
  ["an error whose class has no name set", new NotThere("x"), { $error: { name: "NotThere", message: "x" } }],
  ["a stream", Readable.from([]), { $stream: "Readable" }],
  ["a web stream", new ReadableStream(), { $stream: "ReadableStream" }],
  ["a generator", (function* () {})(), { $stream: "Generator" }],
  ["a promise", Promise.resolve(1), { $thenable: true }],
  ["a thenable", { then() {} }, { $thenable: true }],
  ["a bean", { bean }, { bean: { $bean: "B" } }],
  ["a cycle", circular, { n: 1, self: { $circular: true } }],
  ["the same object twice", [bean, bean], [{ $bean: "B" }, { $bean: "B" }]],
  ["a class instance", new Plain(), { $class: "Plain", a: 1 }],
  ["a URL", new URL("https://ada:pw@x.test/"), { $class: "URL", href: "https://[redacted]@x.test/" }],
  ["a key of ours", { $bigint: "1", $$x: 2 }, { $$bigint: "1", $$$x: 2 }],
  ["an object without prototype", Object.create(null, { a: { value: 1, enumerable: true } }), { a: 1 }],
  ["a hole", Object.assign(Array(3), { 0: 1, 2: 2 }), [1, { $undefined: true }, 2]],
  [
    "a secret",
    { password: "x", apiKey: { a: 1 }, cookie: null },
    { password: "[redacted]", apiKey: "[redacted]", cookie: null },
  ],
  ["a pair with a secret name", ["password", "x"], ["password", "[redacted]"]],
];

describe("Snapshotter.take", () => {
  for (const [what, value, json] of table)
    it(`TRACE-029: ${what} is written as the table says`, () => assert.deepEqual(shown(value), json));

  it("TRACE-056: an instance of a class with private fields, its own or inherited, says that it has some", () => {
    assert.deepEqual(shown([new Money(), new Coins()]), [
      { $class: "Money", $private: true, currency: "EUR" },
      { $class: "Coins", $private: true, currency: "EUR" },
    ]);
  });

  it("keeps __proto__ as a key", () => {
    assert.equal(JSON.stringify(shown(JSON.parse('{"__proto__":{"a":1}}'))), '{"__proto__":{"a":1}}');
  });

  it("TRACE-030: hides what a list or a field names", () => {
    assert.deepEqual(shown(["password", "hunter2"]), ["password", "[redacted]"]);
    assert.deepEqual(shown(["Accept", "*/*", "Cookie", "a=b"]), ["Accept", "*/*", "Cookie", "[redacted]"]);
    assert.deepEqual(shown(["a password", "b c"]), ["a password", "b c"]);
    for (const place of ["name", "key", "header", "field"])
      assert.deepEqual(shown({ [place]: "password", value: "hunter2" }), { [place]: "password", value: "[redacted]" });
    assert.deepEqual(shown({ name: "colour", value: "red" }), { name: "colour", value: "red" });
  });

  it("cuts strings, arrays, objects and depth visibly", () => {
    assert.deepEqual(shown("abcdef", { stringChars: 4 }), { $string: "abcd", $truncated: 2 });
    assert.deepEqual(shown([1, 2, 3], { items: 2 }), [1, 2, { $truncated: 1 }]);
    assert.deepEqual(shown({ a: 1, b: 2, c: 3 }, { items: 2 }), { a: 1, b: 2, $truncated: 1 });
    assert.deepEqual(
      shown(
        new Map([
          [1, 1],
          [2, 2],
        ]),
        { items: 1 },
      ),
      { $map: [[1, 1], { $truncated: 1 }] },
    );
    assert.deepEqual(shown({ a: { b: { c: [1, 2] } } }, { depth: 3 }), { a: { b: { c: { $truncated: 2 } } } });
  });

  it("DEV-029: capturing runs no getter, toJSON, iterator, then or proxy trap", () => {
    let ran = 0;
    const trap = (): never => {
      ran++;
      throw new Error("the value's code ran");
    };
    const hostile = {
      get own(): never {
        return trap();
      },
      toJSON: trap,
      [Symbol.iterator]: trap,
      [Symbol.toPrimitive]: trap,
      inner: new Proxy(
        {},
        { get: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap, has: trap },
      ),
      below: Object.create(
        new Proxy({}, { get: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap, has: trap }),
      ),
      list: Object.defineProperty([1], 0, { get: trap }),
      map: Object.assign(new Map([[1, 2]]), { entries: trap, [Symbol.iterator]: trap }),
      named: Object.defineProperty(() => 1, "name", { get: trap }),
      thrown: Object.defineProperty(new Error("x"), "message", { get: trap }),
      made: Object.create(Object.defineProperty({}, "constructor", { get: trap })),
    };
    const whole = snapshots().take(hostile).json as Readonly<Record<string, Json>>;
    assert.equal(ran, 0);
    assert.deepEqual(
      [whole["inner"], whole["list"], whole["map"], whole["toJSON"]],
      [{ $class: "Proxy" }, [{ $undefined: true }], { $map: [[1, 2]] }, { $function: "trap" }],
    );
  });

  it("gives a type its own form, and survives one that throws", () => {
    const forms = (form: (value: object) => unknown): Json =>
      snapshots({}, new Map([[Money.prototype, form]])).take(new Money()).json;
    assert.deepEqual(
      forms((money) => ({ cents: (money as Money).cents })),
      { $class: "Money", cents: 5 },
    );
    assert.deepEqual(
      forms(() => {
        throw new Error("no");
      }),
      { $class: "Money", $private: true, currency: "EUR" },
    );
    assert.deepEqual(
      forms(() => Promise.reject(new Error("later"))),
      { $class: "Money", $private: true, currency: "EUR" },
    );
    assert.deepEqual(
      forms(() => "five"),
      "five",
    );
    assert.equal(typeof forms(() => new Money()), "object");
  });

  it("never throws, is plain JSON, and stays within its bytes", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: true,
          withNullPrototype: true,
          withObjectString: true,
          maxDepth: 6,
        }),
        (value) => {
          const { json } = snapshots().take(value);
          assert.deepEqual(JSON.parse(JSON.stringify(json)), json);
        },
      ),
      { numRuns: runs },
    );
  });

  it("bounds time and size whatever comes", () => {
    const bomb = (rows: number): string[][] =>
      Array.from({ length: rows }, () => Array.from({ length: 100 }, () => "x".repeat(20_000)));
    const [small, large] = [100, 1_600].map((rows) => {
      const value = bomb(rows);
      return cpuMs(() => snapshots().take(value));
    }) as [number, number];
    assert.ok(large <= 4 * small + 20, `${small} ms, and ${large} ms for sixteen times as much`);
    const { json, bytes } = snapshots().take(bomb(100));
    assert.ok(bytes < 400_000, String(bytes));
    assert.ok(JSON.stringify(json).length < 400_000);
  });
});

describe("Snapshotter.error", () => {
  it("describes whatever was thrown", () => {
    const described = [
      "s",
      null,
      undefined,
      7,
      { message: "m" },
      new RangeError("for Bearer abcdefgh1"),
      Object.create(null),
    ].map((thrown) => snapshots().error(thrown));
    assert.deepEqual(described, [
      { name: "string", message: "s" },
      { name: "null", message: "null" },
      { name: "undefined", message: "undefined" },
      { name: "number", message: "7" },
      { name: "Error", message: "m" },
      { name: "RangeError", message: "for [redacted]" },
      { name: "Error", message: "" },
    ]);
  });
});

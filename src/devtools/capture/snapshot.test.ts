/**
 * Snapshots: the table of values that JSON lacks, the bounds, and the proof that a value's code never runs.
 */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { HttpError } from "framework";
import type { Json } from "../run/shapes.ts";
import { cpuMs } from "../cpu-time.testkit.ts";
import { KnownSecrets } from "./secrets/known.ts";
import { createRedactor } from "./redact.ts";
import { SeenErrors } from "./revive.ts";
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
/** A private field without a value, which is set later. */
class Bare {
  #cents;
  constructor() {
    this.#cents = 5;
  }
  cents(): number {
    return this.#cents;
  }
}
/** Private methods and static fields hide no data of an instance. */
class Plain {
  static #made = 0;
  readonly a: number = this.#one();
  #one(): number {
    return Plain.#made + 1;
  }
}
class NotThere extends Error {}

class Later {
  then(): void {}
}
class Named {
  readonly name = "password";
  readonly value = "hunter2";
}
const nothingOf = { get: () => 1, set: () => true };

class Alone {
  has(): void {}
}
Object.setPrototypeOf(Alone.prototype, null);

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
  [
    "an error with a cause, and the errors of an AggregateError",
    new AggregateError([new Error("a", { cause: { password: "x" } }), "b"], "all", { cause: new TypeError("c") }),
    {
      $error: {
        name: "AggregateError",
        message: "all",
        cause: { $error: { name: "TypeError", message: "c" } },
        errors: [{ $error: { name: "Error", message: "a", cause: { password: "[redacted]" } } }, "b"],
      },
    },
  ],
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
  ["an object of another realm", runInNewContext("({ a: 1 })"), { a: 1 }],
  [
    "a class called Object",
    new (class Object {
      readonly a = 1;
    })(),
    { $class: "Object", a: 1 },
  ],
  [
    "a class whose name is no text",
    new (class {
      static readonly name = 7;
      readonly a = 1;
    })(),
    { $class: "(anonymous)", a: 1 },
  ],
  ["true and false", [true, false], [true, false]],
  ["a then that is no function", { then: 1 }, { then: 1 }],
  ["a name that is no text", Object.defineProperty(() => 1, "name", { value: 7 }), { $function: "" }],
  ["a key at the bound", { ["k".repeat(1_024)]: 1 }, { ["k".repeat(1_024)]: 1 }],
  ["the largest bigint", 2n ** 4096n - 1n, { $bigint: String(2n ** 4096n - 1n) }],
  ["a larger one", [2n ** 4096n, -(2n ** 4096n)], [{ $truncated: 1 }, { $truncated: 1 }]],
  ["a symbol without a description", Symbol(), { $symbol: "" }],
  ["a function without a name", [() => 1, new Proxy(function named() {}, {})], [{ $function: "" }, { $function: "" }]],
  ["a view of bytes", new DataView(new ArrayBuffer(5), 1), { $bytes: 4 }],
  ["bytes that are shared", new SharedArrayBuffer(6), { $bytes: 6 }],
  [
    "what is walked through",
    [new Map().keys(), new Set().values()],
    [{ $stream: "Iterator" }, { $stream: "Iterator" }],
  ],
  ["a response", [new Response(), new Request("http://a.test")], [{ $stream: "Response" }, { $stream: "Request" }]],
  ["a stream to write to", new WritableStream(), { $stream: "WritableStream" }],
  [
    "an iterator of a class",
    new (class Rows {
      next() {}
      [Symbol.asyncIterator]() {}
    })(),
    { $stream: "Rows" },
  ],
  [
    "half a stream",
    new (class Half {
      pipe() {}
    })(),
    { $class: "Half" },
  ],
  [
    "half an iterator",
    [
      new (class Next {
        next() {}
      })(),
      new (class Walked {
        [Symbol.asyncIterator]() {}
      })(),
    ],
    [{ $class: "Next" }, { $class: "Walked" }],
  ],
  ["a class above which is nothing", new Alone(), { $class: "Alone" }],
  ["another class's constructor", Object.create({ constructor: Money }), { $class: "Money" }],
  ["a thenable of a class", new Later(), { $thenable: true }],
  ["a class of the engine", new WeakSet(), { $class: "WeakSet", $private: true }],
  ["a regular expression", /a\/"b/giu, { $class: "RegExp", source: 'a\\/"b', flags: "giu" }],
  ["one of a class", new (class Own extends RegExp {})("a", "y"), { $class: "Own", source: "a", flags: "y" }],
  [
    "a class without a name",
    new (class {
      readonly a = 1;
    })(),
    { $class: "(anonymous)", a: 1 },
  ],
  ["a map of a class", new (class Own extends Map<string, number> {})([["a", 1]]), { $map: [["a", 1]] }],
  [
    "what is computed",
    {
      get a() {
        return 1;
      },
      b: 2,
    },
    { b: 2 },
  ],
  ["what cannot be enumerated", Object.defineProperty({ a: 1 }, "b", { value: 2 }), { a: 1 }],
  ["an object of another one's prototype", Object.create({ a: 1 }), { $class: "Object" }],
  ["a secret of a class", new Named(), { $class: "Named", name: "password", value: "[redacted]" }],
  ["a secret that is none", { name: "password", value: null }, { name: "password", value: null }],
  ["a secret that is undefined", { password: undefined }, { password: { $undefined: true } }],
  ["a long key", { ["k".repeat(1_025)]: 1 }, { [`${"k".repeat(1_024)}…`]: 1 }],
  ["a secret in a key", { "for Bearer abcdefgh1234": 1 }, { "for [redacted]": 1 }],
  ["a long message", new Error("m".repeat(4_097)), { $error: { name: "Error", message: "m".repeat(4_096) } }],
  ["an object that has a proxy above it", Object.create(new Proxy({}, nothingOf)), { $class: "(unknown)" }],
  ["a pair with a secret name", ["password", "x"], ["password", "[redacted]"]],
];

describe("Snapshotter.take", () => {
  for (const [what, value, json] of table)
    it(`${what} is written according to the table`, () => assert.deepEqual(shown(value), json));

  it("an instance of a class with private fields, its own or inherited, is marked as private", () => {
    assert.deepEqual(shown([new Money(), new Coins(), new Bare()]), [
      { $class: "Money", $private: true, currency: "EUR" },
      { $class: "Coins", $private: true, currency: "EUR" },
      { $class: "Bare", $private: true },
    ]);
  });

  it("keeps __proto__ as a key", () => {
    assert.equal(JSON.stringify(shown(JSON.parse('{"__proto__":{"a":1}}'))), '{"__proto__":{"a":1}}');
  });

  it("TRACE-030: hides values that a list or a field names as secret", () => {
    assert.deepEqual(shown(["password", "hunter2"]), ["password", "[redacted]"]);
    assert.deepEqual(shown(["Accept", "*/*", "Cookie", "a=b"]), ["Accept", "*/*", "Cookie", "[redacted]"]);
    assert.deepEqual(shown(["a password", "b c"]), ["a password", "b c"]);
    assert.deepEqual(shown(["password", "b", "c"]), ["password", "b", "c"]);
    assert.deepEqual(shown(["password", "b", "c d", "e"]), ["password", "b", "c d", "e"]);
    assert.deepEqual(shown(["a", "password", "b", "c"]), ["a", "password", "b", "c"]);
    assert.deepEqual(shown(["node", "app.js", "--password", "x y", "--port"]), [
      "node",
      "app.js",
      "--password",
      "[redacted]",
      "--port",
    ]);
    for (const [length, value] of [
      [64, "[redacted]"],
      [65, "x"],
    ] as const)
      assert.deepEqual(shown(["-password".padStart(length, "a"), "x"]), ["-password".padStart(length, "a"), value]);
    for (const place of ["name", "key", "header", "field"])
      assert.deepEqual(shown({ [place]: "password", value: "hunter2" }), { [place]: "password", value: "[redacted]" });
    assert.deepEqual(shown({ name: "colour", value: "red" }), { name: "colour", value: "red" });
  });

  it("TRACE-030: passes the value that a field names to the application's own rule", () => {
    const redactor = createRedactor({ custom: (key, value) => key === "plate" && value === "B-AD 1" });
    const own = new Snapshotter({
      limits,
      redactor,
      forms: new Map<object, never>(),
      nameOf: () => undefined,
      quietly: (run) => run(),
    });
    assert.deepEqual(own.take(["B-AD 1", "none"].map((value) => ({ name: "plate", value }))).json, [
      { name: "plate", value: "[redacted]" },
      { name: "plate", value: "none" },
    ]);
  });

  it("TRACE-041: remembers what it hid, except the words of a list, which may be names", () => {
    const secrets = new KnownSecrets();
    const walker = snapshots().within(secrets);
    walker.take([
      { pin: "in-an-object" },
      new Map([["token", "in-a-map"]]),
      ["password", "hunter", "cookie", "in-a-list"],
    ]);
    walker.take(["token", "x".repeat(17), "secret", "9lives"]);
    assert.equal(
      secrets.text(`in-an-object in-a-map hunter in-a-list ${"x".repeat(17)} 9lives`),
      "[redacted] [redacted] hunter [redacted] [redacted] [redacted]",
    );
  });

  it("TRACE-034: shows a value at the bound, and cuts it one beyond", () => {
    const pair = (key: number): readonly [number, number] => [key, key];
    assert.deepEqual(shown("abcd", { stringChars: 4 }), "abcd");
    assert.deepEqual(shown("abc\u{1F600}", { stringChars: 4 }), { $string: "abc", $truncated: 2 });
    assert.deepEqual(shown("ab\u{1F600}", { stringChars: 4 }), "ab\u{1F600}");
    assert.deepEqual(shown([1, 2], { items: 2 }), [1, 2]);
    assert.deepEqual(shown({ a: 1, b: 2 }, { items: 2 }), { a: 1, b: 2 });
    assert.deepEqual(shown(new Map([pair(1), pair(2)]), { items: 2 }), { $map: [pair(1), pair(2)] });
    assert.deepEqual(
      [1, 2, 3].map((items) => shown(new Set([1, 2]), { items })),
      [{ $set: [1, { $truncated: 1 }] }, { $set: [1, 2] }, { $set: [1, 2] }],
    );
    const deep = (value: unknown): unknown => ({ a: { b: value } });
    for (const value of [[1], { c: 1 }, new Map([pair(1)]), new Set([1])]) {
      assert.deepEqual(shown(deep(value), { depth: 2 }), { a: { b: { $truncated: 1 } } });
      assert.notDeepEqual(shown(deep(value), { depth: 3 }), { a: { b: { $truncated: 1 } } });
    }
    for (const [value, json] of [
      [[], []],
      [{}, {}],
      [new Map(), { $map: [] }],
      [new Set(), { $set: [] }],
    ] as const)
      assert.deepEqual(shown(deep(value), { depth: 2 }), { a: { b: json } });
  });

  it("TRACE-034: shows nothing more after too many nodes or bytes", () => {
    assert.deepEqual(shown([1, 2, 3], { nodes: 3 }), [1, 2, { $truncated: 1 }]);
    assert.deepEqual(shown({ a: 1, b: 2, c: 3 }, { nodes: 2 }), { a: 1, $truncated: 2 });
    assert.deepEqual(shown(new Set([1, 2, 3]), { nodes: 2 }), { $set: [1, { $truncated: 2 }] });
    assert.deepEqual(
      shown(
        new Map([
          [1, 2],
          [3, 4],
        ]),
        { nodes: 2 },
      ),
      { $map: [[1, 2], { $truncated: 1 }] },
    );
    assert.deepEqual(shown({ a: "x".repeat(200), b: 1 }, { snapshotBytes: 200 }), {
      a: { $string: "x".repeat(200 - 16 - 48 - 33 - 16), $truncated: 200 - 87 },
      $truncated: 1,
    });
    assert.deepEqual(snapshots().take([1, 2, 3, 4], 80).json, [1, 2, { $truncated: 2 }]);
  });

  it("counts a hidden value as a node", () => {
    assert.deepEqual(shown({ password: "a", b: 1, c: 2 }, { nodes: 3 }), {
      password: "[redacted]",
      b: 1,
      $truncated: 1,
    });
    assert.deepEqual(shown(["pin", "hunter", "a", "b"], { nodes: 3 }), ["pin", "[redacted]", { $truncated: 2 }]);
  });

  it("marks a value that is too deep or cannot be read, and shows the next one", () => {
    let deep: unknown[] = [];
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    const wide = { depth: 1e9, nodes: 1e9, snapshotBytes: 1e9 };
    assert.deepEqual(snapshots(wide).takeAll([deep, { a: [1] }]).json, [
      { $error: { name: "SnapshotError", message: "too deep" } },
      { a: [1] },
    ]);
    const failing = new Snapshotter({
      limits,
      redactor: createRedactor({}),
      forms: new Map(),
      nameOf: () => assert.fail("no name"),
      quietly: (run) => run(),
    });
    assert.deepEqual(failing.take({}).json, { $error: { name: "SnapshotError", message: "cannot be shown" } });
  });

  it("counts the bytes of the shown values", () => {
    const sizes = [1, "ab", "é€", { ab: 1 }, [1], undefined, bean, new Map([[1, 2]]), new Set([1]), Symbol("ab")].map(
      (value) => snapshots().take(value).bytes,
    );
    assert.deepEqual(sizes, [16, 18, 20, 114, 64, 56, 96, 120, 72, 60]);
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

  it("capturing runs no getter, toJSON, iterator, then or proxy trap", () => {
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

  it("shows a type in its own form, and survives one that throws", () => {
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
    assert.deepEqual(
      forms(() => new Money()),
      { $truncated: 1 },
    );
    assert.deepEqual(
      forms((money) => money),
      { $class: "Money", $private: true, currency: "EUR" },
    );
    assert.deepEqual(
      forms(() => [5]),
      [5],
    );
    assert.deepEqual(
      forms(() => new Set([5])),
      { $set: [5] },
    );
    assert.deepEqual([forms(() => null), forms(() => undefined)], [null, { $undefined: true }]);
    assert.deepEqual(
      forms(() => new Proxy({}, {})),
      { $class: "Proxy" },
    );
    assert.deepEqual(snapshots({}, new Map([[Money.prototype, () => "coins"]])).take(new Coins()).json, "coins");
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

  it("bounds time and size for any value", () => {
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

describe("Snapshotter.takeAll", () => {
  it("takes the arguments of a call as one snapshot, each with its place, and counts the cut ones", () => {
    const all = (values: readonly unknown[], budget?: number): unknown => {
      const { json, bytes } = snapshots({ items: 2 }).takeAll(values, budget);
      return [json, bytes];
    };
    assert.deepEqual(all([]), [[], 32]);
    assert.deepEqual(all([true]), [[true], 48]);
    assert.deepEqual(all(["a"]), [["a"], 49]);
    assert.deepEqual(all([1, null]), [[1, null], 64]);
    assert.deepEqual(all([1, 2, 3]), [[1, 2, { $truncated: 1 }], 64]);
    assert.deepEqual(all([-0]), [[{ $number: "-0" }], 88]);
    assert.deepEqual(all(["a"], 16), [[{ $string: "", $truncated: 1 }], 32 + 16 + 64]);
    assert.deepEqual(all(["a", { b: 1 }], 20), [["a", { $truncated: 1 }], 32 + 17 + 16 + 40]);
  });
});

describe("Snapshotter.text", () => {
  const text = (given: string, room?: number): string => snapshots({ stringChars: 8 }).text(given, room);

  it("redacts, and cuts visibly at the bound or where the room ends", () => {
    assert.deepEqual(
      ["abcdefgh", "abcdefghi"].map((one) => text(one)),
      ["abcdefgh", "abcdefgh… 1 more"],
    );
    assert.deepEqual(
      [text("abcd", 4), text("abcde", 4), text("abcdefghijk", 100)],
      ["abcd", "abcd… 1 more", "abcdefgh… 3 more"],
    );
    assert.equal(text("pin=1234"), "pin=[redacted]");
  });
});

describe("Snapshotter.errorFields", () => {
  class Failed extends Error {
    readonly code = 7;
    override readonly name = "Failed";
  }
  const seen = new SeenErrors();
  const fields = (thrown: unknown): Json | undefined => snapshots().errorFields(thrown, 10_000, seen)?.json;

  it("has the class and the own data of a thrown value, and is undefined without any", () => {
    assert.deepEqual(fields(new Failed("x")), { $class: "Failed", code: 7, name: "Failed" });
    assert.deepEqual(fields(Object.assign(new RangeError("x"), { token: "a", cause: 1, stack: "" })), {
      $hidden: true,
      token: "[redacted]",
    });
    assert.deepEqual(fields({ a: 1 }), { $class: "Object", a: 1 });
    const hiding: readonly (readonly [boolean, Error])[] = [
      [true, new Error("x", { cause: 1 })],
      [true, Object.defineProperty(new Error("x"), "a", { get: () => 1, enumerable: true })],
      [true, Object.defineProperty(new Error("x"), "a", { value: 1 })],
      [false, Object.defineProperty(new Error("x"), "a", { value: undefined })],
      [false, Object.defineProperty(new Error("x"), "a", { value: () => 1 })],
      [false, Object.defineProperty(new Error("x"), "name", { value: "Error" })],
    ];
    for (const [isHiding, thrown] of hiding) assert.deepEqual(fields(thrown), isHiding ? { $hidden: true } : undefined);
    const renamed = Object.assign(new RangeError("x"), { name: "OutOfStock" });
    assert.deepEqual(fields(renamed), { $class: "RangeError", $from: "language", name: "OutOfStock" });
    const { $class, $from } = fields(new HttpError(409, "x")) as Record<string, Json>;
    assert.deepEqual([$class, $from], ["HttpError", "framework"]);
    assert.deepEqual(snapshots().errorFields(new Failed("x"), 10, seen)?.json, { $class: "Failed", $truncated: 2 });
    const bare: unknown = Object.create(null, { a: { value: 1, enumerable: true } });
    assert.deepEqual(fields(bare), { $class: "Object", a: 1 });
    assert.deepEqual(fields({ message: "x", stack: "y", cause: "z", a: 1 }), { $hidden: true, $class: "Object", a: 1 });
    for (const thrown of [new Error("x"), "text", null, undefined, new Proxy({}, {})])
      assert.equal(fields(thrown), undefined);
    assert.deepEqual(
      ["Failed", "RangeError", "Object"].map((name) => seen.get(name)),
      [Failed.prototype, undefined, undefined],
    );
  });
});

describe("Snapshotter.error", () => {
  it("describes any thrown value", () => {
    const described = [
      "s",
      null,
      undefined,
      7,
      { message: "m" },
      new RangeError("for Bearer abcdefgh1"),
      Object.create(null),
      new Proxy(new Error("m"), {}),
      () => 1,
      Object.assign(new TypeError("m"), { name: "OutOfStock" }),
      Object.assign(new TypeError("m"), { name: "" }),
      Object.assign(new TypeError("m"), { name: 7 }),
      new NotThere("m"),
    ].map((thrown) => snapshots().error(thrown));
    assert.deepEqual(described, [
      { name: "string", message: "s" },
      { name: "null", message: "null" },
      { name: "undefined", message: "undefined" },
      { name: "number", message: "7" },
      { name: "Error", message: "m" },
      { name: "RangeError", message: "for [redacted]" },
      { name: "Error", message: "" },
      { name: "Proxy", message: "" },
      { name: "function", message: "" },
      { name: "OutOfStock", message: "m" },
      { name: "TypeError", message: "m" },
      { name: "TypeError", message: "m" },
      { name: "NotThere", message: "m" },
    ]);
  });
});

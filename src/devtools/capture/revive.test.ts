/**
 * Reviving: recorded values and errors made again, and those that cannot be.
 *
 * Spec: spec/replay.md
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as framework from "framework";
import type { ErrorInfo, Json, JsonObject } from "../run/shapes.ts";
import { formKeyOf, isForm, originOf, Reviver, SeenErrors, withoutForm } from "./revive.ts";

class Money {
  readonly shown: object;
  constructor(shown: object) {
    this.shown = shown;
  }
}
class SoldOutError extends Error {
  override readonly name = "SoldOutError";
}
class Custom extends Error {}

function reviver(): Reviver {
  const seen = new SeenErrors();
  seen.add("SoldOutError", SoldOutError.prototype);
  seen.add("Twice", Error.prototype);
  seen.add("Twice", TypeError.prototype);
  return new Reviver(
    new Map<string, (shown: object) => unknown>([
      ["Money", (shown) => new Money(shown)],
      ["Custom", (shown) => new Custom(JSON.stringify(shown))],
      ["Nothing", () => undefined],
    ]),
    seen,
  );
}
const value = (json: Json): unknown => reviver().value(json);
const thrown = (name: string, message: string, fields?: JsonObject): ErrorInfo =>
  fields === undefined ? { name, message } : { name, message, fields };

describe("Reviver.value", () => {
  const made: Readonly<Record<string, readonly [Json, unknown]>> = {
    "what JSON has": [
      [null, true, 1, "a", { b: [] }],
      [null, true, 1, "a", { b: [] }],
    ],
    undefined: [{ a: { $undefined: true } }, { a: undefined }],
    "a bigint": [{ $bigint: "12345678901234567890" }, 12_345_678_901_234_567_890n],
    "minus zero": [{ $number: "-0" }, -0],
    "no number": [{ $number: "NaN" }, NaN],
    infinity: [{ $number: "-Infinity" }, -Infinity],
    "a date": [{ $date: "2026-01-02T00:00:00.000Z" }, new Date(Date.UTC(2026, 0, 2))],
    "a map": [{ $map: [["a", { $bigint: "1" }]] }, new Map([["a", 1n]])],
    "a set": [{ $set: [{ $undefined: true }] }, new Set([undefined])],
    "a map and a set of nothing": [
      [{ $map: {} }, { $set: null }],
      [new Map(), new Set()],
    ],
    "keys that begin with a dollar": [
      { $$date: "x", $$$: 1 },
      { $date: "x", $$: 1 },
    ],
    "a regular expression": [{ $class: "RegExp", source: "a/b", flags: "gi" }, /a\/b/gi],
    "a URL": [{ $class: "URL", href: "http://a/b" }, new URL("http://a/b")],
    "an instance": [{ $class: "Money", $private: false, cents: { $bigint: "5" } }, new Money({ cents: 5n })],
    "an instance that has numbers for keys": [{ 0: "x", $class: "Money" }, new Money({ 0: "x" })],
    "a bean of which nothing is known": [{ $bean: "A" }, { $bean: "A" }],
  };
  for (const [name, [json, expected]] of Object.entries(made))
    it(`makes ${name}`, () => assert.deepEqual(value(json), expected));

  it("puts the bean itself in, at any place", () => {
    const own = { id: "A", bean: {} };
    const { list, map } = reviver().value({ list: [{ $bean: "A" }], map: { $map: [["a", { $bean: "A" }]] } }, own) as {
      list: unknown[];
      map: Map<string, unknown>;
    };
    assert.deepEqual([list[0] === own.bean, map.get("a") === own.bean], [true, true]);
  });

  it("accepts a key of any name", () => {
    const read = value(JSON.parse('{"__proto__":1,"a":2}') as Json) as object;
    assert.deepEqual(Object.getOwnPropertyDescriptors(read), {
      ["__proto__"]: { value: 1, enumerable: true, configurable: true, writable: true },
      a: { value: 2, enumerable: true, configurable: true, writable: true },
    });
    assert.equal(Object.getPrototypeOf(read), Object.prototype);
  });

  it("makes an instance with the application's maker, and none without one", () => {
    const own = new Reviver(new Map([["URL", (shown: object) => [shown]]]), new SeenErrors());
    assert.deepEqual(own.value({ $class: "URL", href: "x" }), [{ href: "x" }]);
    assert.equal(value({ $class: "Ledger", href: "http://a/" }), undefined);
  });

  it("knows the classes with a maker, and those of the platform", () => {
    assert.deepEqual(
      ["Money", "URL", "Ledger"].map((name) => reviver().knows(name)),
      [true, true, false],
    );
  });
});

describe("Reviver.error", () => {
  const error = (info: ErrorInfo): unknown => reviver().error(info);

  it("makes errors of the language, of the framework and of this process, with their fields", () => {
    const range = error(thrown("RangeError", "far")) as RangeError;
    assert.deepEqual([range, range.message], [new RangeError("far"), "far"]);
    assert.deepEqual(Object.keys(range), []);
    const own = Object.assign(new TypeError("t"), { code: 1n });
    assert.deepEqual(
      error(thrown("TypeError", "t", { $class: "TypeError", $from: "language", code: { $bigint: "1" } })),
      own,
    );
    const found = error(
      thrown("NotFoundError", "gone", {
        $class: "NotFoundError",
        $from: "framework",
        name: "NotFoundError",
        status: 404,
      }),
    );
    assert.ok(found instanceof framework.NotFoundError && found.status === 404);
    const soldOut = error(thrown("SoldOutError", "tea", { $class: "SoldOutError", name: "SoldOutError" }));
    assert.deepEqual(soldOut, new SoldOutError("tea"));
  });

  it("knows every error class of the language and of the framework", () => {
    const ofLanguage = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
    const ofFramework = Object.values(framework).filter(
      (type) =>
        typeof type === "function" && (type === framework.HttpError || type.prototype instanceof framework.HttpError),
    ) as (new (message: string) => Error)[];
    assert.ok(ofFramework.length >= 14);
    for (const [from, types] of Object.entries({ language: ofLanguage, framework: ofFramework }))
      for (const type of types) {
        assert.equal(originOf(type.prototype as object, type.name), from, type.name);
        const made = error(thrown(type.name, "x", { $class: type.name, $from: from }));
        assert.equal(Object.getPrototypeOf(made), type.prototype, type.name);
      }
  });

  it("names an error as recorded, and adds no enumerable name", () => {
    const odd = error(thrown("Odd", "x", { $class: "TypeError", $from: "language" })) as Error;
    assert.deepEqual([odd instanceof TypeError, odd.name, Object.keys(odd)], [true, "Odd", []]);
    const nameless = error(thrown("SoldOutError", "x", { $class: "SoldOutError" })) as Error;
    assert.deepEqual([nameless.name, Object.hasOwn(nameless, "name")], ["Error", false]);
    const inherited = error(thrown("Error", "x", { $class: "SoldOutError" })) as Error;
    assert.deepEqual([inherited.name, Object.hasOwn(inherited, "name")], ["Error", false]);
    const unknown = error(thrown("Other", "x", { $class: "Other" })) as Error;
    assert.deepEqual([Object.getPrototypeOf(unknown), unknown.name], [Error.prototype, "Error"]);
  });

  it("throws a text as a text, and asks the application's maker first", () => {
    assert.equal(error(thrown("string", "a text")), "a text");
    assert.ok(error(thrown("string", "a text", {})) instanceof Error);
    const custom = error(thrown("Custom", "c", { $class: "Custom", at: 1 })) as Error;
    assert.deepEqual([custom instanceof Custom, custom.message], [true, '{"name":"Custom","message":"c","at":1}']);
    const none = error(thrown("Nothing", "n", { $class: "Nothing" }));
    assert.ok(none instanceof Error && none.message === "n");
  });

  it("gives an error the bean that threw it", () => {
    const own = { id: "A", bean: {} };
    const made = reviver().error(thrown("Error", "x", { by: { $bean: "A" } }), own) as { by: unknown };
    assert.equal(made.by, own.bean);
  });
});

describe("Reviver.flawOfError", () => {
  const why = (info: ErrorInfo): string | undefined => reviver().flawOfError(info);
  const unknown = (name: string): string =>
    `its error is an instance of ${name}, which this process has not thrown yet: Devtools.create({ revive: [[${name}, (shown) => …]] }) says how one is made`;

  it("names a thrown value that is not an error", () => {
    const none = ["number", "bigint", "boolean", "symbol", "undefined", "null", "function"];
    for (const name of none) assert.equal(why(thrown(name, "5")), `what it threw is no error and no text: ${name}`);
    for (const name of ["xnumber", "numbers"]) assert.equal(why(thrown(name, "5")), unknown(name));
    assert.equal(why(thrown("number", "5", { $class: "number" })), unknown("number"));
  });

  it("reports an unknown class, and a class name that is not unique", () => {
    assert.equal(why(thrown("Other", "x", { $class: "Other" })), unknown("Other"));
    assert.equal(why(thrown("Other", "x", { $class: "TypeError" })), unknown("TypeError"));
    assert.equal(why(thrown("x", "x", { $class: "NotFoundError", $from: "language" })), unknown("NotFoundError"));
    assert.equal(why(thrown("x", "x", { $class: "TypeError", $from: "framework" })), unknown("TypeError"));
    assert.equal(
      why(thrown("Twice", "x", { $class: "Twice" })),
      "its error is an instance of Twice, and there are two classes of that name",
    );
  });

  it("is undefined for an error that can be thrown again", () => {
    for (const info of [
      thrown("string", "a text"),
      thrown("TypeError", "x"),
      thrown("TypeError", "x", { code: 1 }),
      thrown("x", "x", { $class: "HttpError", $from: "framework" }),
      thrown("x", "x", { $class: "Custom" }),
      thrown("x", "x", { $class: "SoldOutError" }),
    ])
      assert.equal(why(info), undefined, JSON.stringify(info));
  });
});

describe("SeenErrors", () => {
  it("has no class after two of its name, whichever comes again", () => {
    const seen = new SeenErrors();
    const [one, two] = [{}, {}];
    seen.add("A", one);
    seen.add("A", one);
    assert.equal(seen.get("A"), one);
    seen.add("A", two);
    seen.add("A", one);
    assert.deepEqual([seen.get("A"), seen.get("B")], [null, undefined]);
  });

  it("remembers a thousand of them", () => {
    const seen = new SeenErrors();
    for (let at = 0; at < 1_001; at += 1) seen.add(`E${at}`, {});
    assert.deepEqual([seen.get("E999"), seen.get("E1000")], [{}, undefined]);
    seen.add("E0", {});
    assert.equal(seen.get("E0"), null);
  });
});

describe("originOf", () => {
  it("separates the language's classes and the framework's from others with their names", () => {
    assert.deepEqual(
      [
        originOf(TypeError.prototype, "TypeError"),
        originOf(framework.HttpError.prototype, "HttpError"),
        originOf(SoldOutError.prototype, "TypeError"),
        originOf(SoldOutError.prototype, "SoldOutError"),
        originOf(null, "TypeError"),
        originOf(null, "SoldOutError"),
      ],
      ["language", "framework", undefined, undefined, undefined, undefined],
    );
  });
});

describe("forms", () => {
  it("are recognised by the first key that begins with one dollar", () => {
    assert.deepEqual([{ 0: 1, $date: "" }, { $$date: "", $set: [] }, { $$date: "" }, { date: "" }, {}].map(formKeyOf), [
      "$date",
      "$set",
      undefined,
      undefined,
      undefined,
    ]);
    const tags = ["$undefined", "$bigint", "$number", "$date", "$map", "$set", "$class", "$bytes", "date"];
    assert.deepEqual(tags.filter(isForm), tags.slice(0, 6));
  });

  it("keep an error's own fields", () => {
    const fields = { $class: "A", $from: "language", $private: true, $hidden: true, code: 1, $date: "" };
    assert.deepEqual(withoutForm(fields), { code: 1, $date: "" });
  });
});

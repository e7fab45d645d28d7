/** Fields: headers, parameters and queries in their shown form, each name with all of its values (TRACE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Context } from "framework";
import {
  addField,
  addHeader,
  paramsOf,
  queryOf,
  shownParams,
  shownQuery,
  sizeOfFields,
  type Fields,
} from "./fields.ts";
import { KnownSecrets } from "../secrets/known.ts";
import { plainSnapshots } from "../plain-snapshots.testkit.ts";
import { createRedactor } from "../redact.ts";
import type { Snapshotter } from "../snapshot.ts";
import { copyOf, heapSizeOf, isHighSurrogate } from "../strings.ts";

/** The tools to show fields, and the secrets of one trace. */
function tools(): { redactor: ReturnType<typeof createRedactor>; snapshots: Snapshotter; secrets: KnownSecrets } {
  const redactor = createRedactor({});
  const secrets = new KnownSecrets();
  return { redactor, snapshots: plainSnapshots(redactor).within(secrets), secrets };
}
const contextOf = (given: object): Context => given as unknown as Context;
const unreadable = (): never => {
  throw new Error("cannot be decoded");
};

describe("paramsOf and queryOf", () => {
  it("return current names and values, and none that cannot be read", () => {
    const params = { id: "7", name: "ada" };
    assert.deepEqual(paramsOf(contextOf({ route: "/a/{id}/{name}", params })), Object.entries(params));
    assert.deepEqual(paramsOf(contextOf({ route: undefined, params })), Object.entries(params));
    assert.deepEqual(
      paramsOf(
        contextOf({
          route: "/a",
          get params() {
            return assert.fail("asked");
          },
        }),
      ),
      [],
    );
    assert.deepEqual(
      paramsOf(
        contextOf({
          route: "/a/{id}",
          get params() {
            return unreadable();
          },
        }),
      ),
      [],
    );
    const query = { a: ["1", "2"], b: [""] };
    assert.deepEqual(queryOf(contextOf({ search: "?a=1&a=2&b", query })), [
      ["a", "1"],
      ["a", "2"],
      ["b", ""],
    ]);
    assert.deepEqual(queryOf(contextOf({ search: "", query })), []);
    assert.deepEqual(
      queryOf(
        contextOf({
          search: "?%",
          get query() {
            return unreadable();
          },
        }),
      ),
      [],
    );
  });
});

describe("shownParams and shownQuery", () => {
  it("TRACE-030 TRACE-041: hide values with a secret name, and remember them", () => {
    const given = tools();
    assert.deepEqual(
      shownParams(
        [
          ["id", "7"],
          ["token", "first-secret"],
        ],
        given,
      ),
      { id: "7", token: "[redacted]" },
    );
    assert.deepEqual(
      shownQuery(
        [
          ["q", "a"],
          ["q", "pin=1"],
          ["password", "second-secret"],
        ],
        given,
      ),
      { q: ["a", "pin=[redacted]"], password: ["[redacted]"] },
    );
    assert.equal(given.secrets.text("first-secret second-secret"), "[redacted] [redacted]");
  });
});

describe("addHeader", () => {
  it("TRACE-030 TRACE-041: hides a secret value and remembers it, for cookies each one separately", () => {
    const given = tools();
    const shown: Fields = {};
    const lines = [
      ["Accept", "text/html"],
      ["accept", "Bearer abcdefgh1"],
      ["X-Api-Key", "first-secret"],
      ["Cookie", "sid=second-secret; theme=dark"],
      ["Set-Cookie", "sid=third-secret; Path=/"],
      ["Cookie-Token", "sid=fourth-secret"],
    ] as const;
    for (const [name, value] of lines) addHeader(shown, name, value, given);
    assert.deepEqual(shown, {
      accept: ["text/html", "[redacted]"],
      "x-api-key": ["[redacted]"],
      cookie: ["[redacted]"],
      "set-cookie": ["[redacted]"],
      "cookie-token": ["[redacted]"],
    });
    assert.equal(
      given.secrets.text("text/html first-secret second-secret third-secret fourth-secret sid=fourth-secret"),
      "text/html [redacted] [redacted] [redacted] fourth-secret [redacted]",
    );
  });

  it("hides cookies outside of a trace", () => {
    const given = tools();
    given.redactor.secrets = undefined;
    const shown: Fields = {};
    addHeader(shown, "cookie", "a=b", given);
    assert.deepEqual(shown, { cookie: ["[redacted]"] });
  });
});

describe("addField", () => {
  it("adds to existing values, and treats the names of Object.prototype as ordinary names", () => {
    const fields: Fields = {};
    for (const [key, value] of [
      ["a", "1"],
      ["a", "2"],
      ["constructor", "3"],
      ["constructor", "4"],
      ["__proto__", "5"],
      ["__proto__", "6"],
    ] as const)
      addField(fields, key, value);
    assert.equal(JSON.stringify(fields), '{"a":["1","2"],"constructor":["3","4"],"__proto__":["5","6"]}');
    assert.deepEqual(Object.getOwnPropertyDescriptor(fields, "__proto__"), {
      value: ["5", "6"],
      enumerable: true,
      configurable: true,
      writable: true,
    });
  });
});

describe("sizeOfFields", () => {
  it("counts names and values", () => {
    assert.deepEqual([sizeOfFields({}), sizeOfFields({ ab: ["cde", ""], f: [] })], [0, 66 + 35 + 32 + 65]);
  });
});

describe("strings", () => {
  it("are copied unchanged, narrow or wide, and take a byte or two a character", () => {
    for (const text of [
      "short",
      "twelve chars",
      "thirteen char",
      "\u00ff".repeat(13),
      "\u0100".repeat(13),
      "\ud800".repeat(13),
    ])
      assert.equal(copyOf(text), text);
    assert.deepEqual(["a\u00ff", "a\u0100", ""].map(heapSizeOf), [2, 4, 0]);
  });

  it("recognise the first half of a surrogate pair", () => {
    assert.deepEqual([0xd7ff, 0xd800, 0xdbff, 0xdc00].map(isHighSurrogate), [false, true, true, false]);
  });
});

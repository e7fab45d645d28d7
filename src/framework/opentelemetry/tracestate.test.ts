import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertLinear } from "../dispatch/scaling.testkit.ts";
import { parseTracestate } from "./tracestate.ts";

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `k${index}=v`).join(",");

describe("parseTracestate", () => {
  for (const [name, [header, written]] of Object.entries({
    "members in order": ["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"],
    "blanks around members": [" a=1 ,\tb=2\t", "a=1,b=2"],
    "several blanks before a member": ["  a=1,\t \tb=2", "a=1,b=2"],
    "empty members": [",a=1,,b=2,", "a=1,b=2"],
    "a key of a tenant": ["fw529a3039@dt=1", "fw529a3039@dt=1"],
    "a key that starts with a digit": ["0a=1", "0a=1"],
    "blanks inside a value": ["a=1 2", "a=1 2"],
    "the first of two with one key": ["a=1,b=2,a=3", "a=1,b=2"],
    "32 members": [numbered(32), numbered(32)],
    "a key of 256 characters": [
      `${"k".repeat(256)}=1`,
      `${"k".repeat(256)}=1`.length > 512 ? "" : `${"k".repeat(256)}=1`,
    ],
  } satisfies Record<string, [string, string]>)) {
    test(`accepts ${name}`, () => assert.equal(parseTracestate(header)?.serialize(), written));
  }

  for (const [name, header] of Object.entries({
    nothing: "",
    "only commas": " , ,",
    "a member without a value": "a",
    "a longer one without an equals sign": "ab",
    "a member of a blank that is not a space or tab": "a=1,\u00a0",
    "an empty value": "a=",
    "a blank value": "a= ",
    "an empty key": "=1",
    "an upper-case key": "A=1",
    "an equals sign in a value": "a=1=2",
    "a character outside ASCII": "a=é",
    "a control character": "a=1\u0001",
    "33 members": numbered(33),
    "33 members, two with one key": `k0=w,${numbered(32)}`,
    "a key of 257 characters": `${"k".repeat(257)}=1`,
    "a value of 257 characters": `a=${"v".repeat(257)}`,
    "one bad member among good ones": "a=1,B=2,c=3",
  })) {
    test(`rejects ${name}`, () => assert.equal(parseTracestate(header), undefined));
  }

  test("drops members over 128 characters first when the whole is over 512", () => {
    const long = `long=${"v".repeat(200)}`;
    const short = Array.from({ length: 20 }, (_, index) => `key${10 + index}=${"v".repeat(10)}`).join(",");
    assert.equal(parseTracestate(`${long},${short}`)?.serialize(), short);
  });

  test("then drops whole members from the right", () => {
    const members = Array.from({ length: 30 }, (_, index) => `key${10 + index}=${"v".repeat(20)}`);
    assert.equal(parseTracestate(members.join(","))?.serialize(), members.slice(0, 19).join(","));
  });

  test("keeps a member of 512 characters, and one of 128 when the whole is over 512", () => {
    const whole = `${"k".repeat(255)}=${"v".repeat(256)}`;
    assert.equal(parseTracestate(whole)?.serialize(), whole);
    const members = ["a", "b", "c", "d"].map((key) => `${key}=${"v".repeat(126)}`);
    assert.equal(parseTracestate(members.join(","))?.serialize(), members.slice(0, 3).join(","));
  });

  test("never passes on more than 512 characters, 32 members or a repeated key, and never changes a member", () => {
    const member = fc.tuple(
      fc.stringMatching(/^[a-z0-9][a-z0-9_\-*/@]{0,40}$/),
      fc.stringMatching(/^[!-+\--<>-~]{1,200}$/),
    );
    fc.assert(
      fc.property(fc.uniqueArray(member, { selector: ([key]) => key, maxLength: 32 }), (members) => {
        const sent = members.map(([key, value]) => `${key}=${value}`);
        const written = parseTracestate(sent.join(","))?.serialize() ?? "";
        assert.ok(written.length <= 512);
        const kept = written === "" ? [] : written.split(",");
        assert.deepEqual(
          sent.filter((one) => kept.includes(one)),
          kept,
        );
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 2_000) },
    );
  });

  test("accepts any text without throwing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 80 }), (text) => void parseTracestate(text)),
      { numRuns: Number(process.env["FC_RUNS"] ?? 10_000) },
    );
  });

  test("takes time linear in the header", () => {
    for (const unit of [",", " ", "=", "a=1,", "a= ", "\t,"]) {
      assertLinear(parseTracestate, unit);
      assertLinear(parseTracestate, unit, (text) => `a=${text}b`);
    }
  });
});

describe("a parsed tracestate", () => {
  test("reads, changes to the front and removes, each time as a new value", () => {
    const state = parseTracestate("a=1,b=2") ?? assert.fail("rejected");
    assert.deepEqual(
      [
        state.get("b"),
        state.get("c"),
        state.set("b", "3").serialize(),
        state.unset("a").serialize(),
        state.serialize(),
      ],
      ["2", undefined, "b=3,a=1", "b=2", "a=1,b=2"],
    );
  });

  test("keeps 32 members at most when one is added, and drops the last", () => {
    const written = parseTracestate(numbered(32))?.set("new", "1").serialize();
    assert.equal(written, `new=1,${numbered(31)}`);
  });

  test("ignores an invalid member", () => {
    const state = parseTracestate("a=1") ?? assert.fail("rejected");
    assert.deepEqual([state.set("A", "1").serialize(), state.set("b", "x,y").serialize()], ["a=1", "a=1"]);
  });
});

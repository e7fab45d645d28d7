import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertLinear } from "../dispatch/scaling.testkit.ts";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentId = "b7ad6b7169203331";
const valid = `00-${traceId}-${parentId}-01`;

describe("parseTraceparent", () => {
  for (const [name, [header, flags]] of Object.entries({
    "version 00": [valid, 1],
    "an unsampled parent": [`00-${traceId}-${parentId}-00`, 0],
    "the random flag": [`00-${traceId}-${parentId}-03`, 3],
    "undefined flags, which are cleared": [`00-${traceId}-${parentId}-ff`, 3],
    "blanks around it": [` \t${valid}\t `, 1],
    "a later version of the same length": [`cc-${traceId}-${parentId}-01`, 1],
    "a later version that goes on after a dash": [`cc-${traceId}-${parentId}-01-what-the-future-will-be-like`, 1],
    "a later version that ends in a dash": [`01-${traceId}-${parentId}-01-`, 1],
  } satisfies Record<string, [string, number]>)) {
    test(`accepts ${name}`, () => assert.deepEqual(parseTraceparent(header), { traceId, parentId, flags }));
  }

  for (const [name, header] of Object.entries({
    nothing: "",
    "upper-case hex": valid.toUpperCase(),
    "version ff": `ff-${traceId}-${parentId}-01`,
    "version 00 that goes on": `${valid}-more`,
    "version 00 that ends in a dash": `${valid}-`,
    "a later version that goes on without a dash": `cc-${traceId}-${parentId}-01.more`,
    "a trace id of zeros": `00-${"0".repeat(32)}-${parentId}-01`,
    "a parent id of zeros": `00-${traceId}-${"0".repeat(16)}-01`,
    "a trace id that is too short": `00-${traceId.slice(1)}-${parentId}-01`,
    "a trace id that is too long": `00-0${traceId}-${parentId}-01`,
    "a letter that is not hex": `00-${traceId.slice(0, 31)}g-${parentId}-01`,
    "a sign before the digits in a trace id": `00-${traceId.slice(1)}/-${parentId}-01`,
    "a version that is not hex": `0g-${traceId}-${parentId}-01`,
    "no dash before the trace id": `00_${traceId}-${parentId}-01`,
    "no dash before the parent id": `00-${traceId}_${parentId}-01`,
    "no dash before the flags": `00-${traceId}-${parentId}_01`,
    "one flag digit": valid.slice(0, -1),
    underscores: valid.replaceAll("-", "_"),
    "two headers joined": `${valid}, ${valid}`,
    "two headers of a later version joined": `01${valid.slice(2)}, 01${valid.slice(2)}`,
    "full-width digits": valid.replaceAll("0", "\uff10"),
  })) {
    test(`rejects ${name}`, () => assert.equal(parseTraceparent(header), undefined));
  }

  test("agrees with the grammar on any mutation of a valid header", () => {
    const grammar =
      /^(?!ff)(?:00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}|[0-9a-f]{2}(?<!00)-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?)$/s;
    const edit = fc.record({
      at: fc.nat(56),
      remove: fc.nat(2),
      insert: fc.string({ unit: fc.constantFrom(..."0123456789abcdefABFg-_ ,\t\u0000é"), maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 3 }), (edits) => {
        const header = edits.reduce(
          (text, { at, remove, insert }) => text.slice(0, at) + insert + text.slice(at + remove),
          valid,
        );
        const [, id0, parent0, id1, parent1] = grammar.exec(header.replace(/^[ \t]+|[ \t]+$/g, "")) ?? [];
        const [id, parent] = [id0 ?? id1, parent0 ?? parent1];
        const accepted = id !== undefined && /[1-9a-f]/.test(id) && /[1-9a-f]/.test(parent ?? "");
        const parsed = parseTraceparent(header);
        assert.deepEqual(
          parsed && [parsed.traceId, parsed.parentId],
          accepted ? [id, parent] : undefined,
          JSON.stringify(header),
        );
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 10_000) },
    );
  });

  test("takes time linear in the header", () => {
    for (const unit of ["-", "0", " ", `${valid}-`]) assertLinear(parseTraceparent, unit);
  });
});

describe("formatTraceparent", () => {
  test("writes what was parsed, as version 00", () => {
    const hex = (length: number): fc.Arbitrary<string> =>
      fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length });
    fc.assert(
      fc.property(hex(32), hex(16), fc.nat(3), (id, parent, flags) => {
        fc.pre(/[^0]/.test(id) && /[^0]/.test(parent));
        const parsed = { traceId: id, parentId: parent, flags };
        assert.deepEqual(parseTraceparent(formatTraceparent(parsed)), parsed);
      }),
    );
  });
});

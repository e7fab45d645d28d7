/** Tests that variations are equivalent, that each changes something, and that simultaneous ones do not undo each other. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sent, type Exchange } from "../kit/exchange.ts";
import type { HeaderLines } from "../kit/response.ts";
import { nameOf } from "./fault.ts";
import { generateVariations, subjectOf, variedSubjects } from "./variations.ts";

const value = {
  status: "DOWN",
  checks: { "d/b": "DOWN", b: "UP" },
  details: { "d/b": { durationUs: 3, error: "gé" }, b: { durationUs: 14 } },
};
const headers: HeaderLines = [
  ["Content-Type", "application/json"],
  ["Vary", "Origin, Accept"],
];
const health: Exchange = { sent: sent("GET", "/health"), status: 503, headers, body: JSON.stringify(value) };
const step = { sent: sent("GET", "/"), item: { kind: "event", event: "later", data: "x" }, index: 0 } as const;
const variations = generateVariations(
  [{ exchanges: [health], steps: [step] }],
  new Map([
    ["vary", "cors"],
    ["content-type", "errors"],
  ]),
);

const lines = (exchange: Exchange, name: string): readonly string[] =>
  exchange.headers.filter(([found]) => found.toLowerCase() === name).map(([, text]) => text);
const of = (name: string): Exchange => {
  const one = variations.find((found) => nameOf(found) === name);
  assert.ok(one, name);
  return subjectOf([one]).rewrite(health);
};

describe("a variation", () => {
  it("has a unique name", () => {
    const names = variations.map(nameOf);
    assert.ok(names.length > 60, `${names.length}`);
    assert.equal(new Set(names).size, names.length);
  });

  it("changes a message, but not its meaning", () => {
    for (const one of variations.filter(({ items, chunk }) => items === undefined && chunk === undefined)) {
      const passed = subjectOf([one]).rewrite(health);
      assert.notDeepEqual(passed, health, nameOf(one));
      assert.deepEqual([passed.status, JSON.parse(passed.body)], [503, value], nameOf(one));
    }
  });

  it("respells a part of a document", () => {
    const body = (name: string): string => of(`HealthResult${name}`).body;
    assert.match(body(".status: in numbers"), /^\{"status":"\\u0044\\u004f\\u0057\\u004e",/);
    assert.match(body(".checks: its name begun by a number"), /,"\\u0063hecks":\{/);
    assert.match(body(".details{}.durationUs: with a fraction of zero"), /:3\.0,.*:14\.0\}/);
    assert.match(body(".checks{}: among blanks"), /:\{"d\/b": "DOWN"\t,"b": "UP"\t\}/);
    assert.match(of("members of HealthResult: from the last to the first").body, /^\{"details":.*"status":"DOWN"\}$/);
    assert.match(of("JSON of /health → 503: in ASCII").body, /"g\\u00e9"/);
  });

  it("respells the lines of a header", () => {
    const vary = (kind: string): readonly string[] => lines(of(`header vary of GET → 503: ${kind}`), "vary");
    assert.deepEqual(vary("a line for each member"), ["Origin", "Accept"]);
    assert.deepEqual(vary("in another order"), ["Accept, Origin"]);
    assert.deepEqual(vary("a field more"), ["Origin, Accept, Accept-Language"]);
    assert.deepEqual(lines(of("header content-type of GET → 503: a charset in quotes"), "content-type"), [
      'application/json; charset="utf-8"',
    ]);
  });
});

describe("subjects of many variations", () => {
  const subjects = variedSubjects(variations);

  it("have each of them once", () => {
    const names = subjects.flatMap(({ all }) => all.map(nameOf));
    assert.deepEqual(names.toSorted(), variations.map(nameOf).toSorted());
    assert.ok(subjects.length <= 4, `${subjects.length}`);
  });

  it("send all of them simultaneously, with the same meaning", () => {
    const [first] = subjects;
    assert.ok(first);
    const { body, headers: sentLines } = first.rewrite(health);
    assert.deepEqual(JSON.parse(body), value);
    for (const part of ["\\u0044", "\\u00e9", "\t"]) assert.ok(body.includes(part), part);
    assert.deepEqual(lines({ ...health, headers: sentLines }, "vary"), ["ACCEPT-LANGUAGE,ACCEPT,ORIGIN"]);
  });

  it("send the items of a stream with others between them", () => {
    const kinds = subjects.map(({ rewriteItem }) => rewriteItem(step).map(({ kind, event }) => event ?? kind));
    assert.deepEqual(kinds, [
      ["comment", "later"],
      ["later", "later"],
      ["later", "later"],
      ["later", "comment"],
    ]);
    assert.deepEqual(subjects[0]?.rewriteChunk?.("a\n"), ["a", "\r", "\n"]);
  });
});

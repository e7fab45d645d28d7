/**
 * address: what a link holds, and which changes Back returns from.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { formatLink, isStep, LINK_PARTS, parseLink, type Link } from "./address.ts";

const part = fc.option(fc.string({ minLength: 1, unit: "grapheme" }), { nil: null });
const links = fc.record(Object.fromEntries(LINK_PARTS.map((name) => [name, part])) as Record<keyof Link, typeof part>, {
  noNullPrototype: true,
});

describe("formatLink", () => {
  test("is the same after parseLink", () => {
    fc.assert(fc.property(links, (link) => assert.deepEqual(parseLink(formatLink(link)), link)));
  });

  test("is empty without a target", () => assert.equal(formatLink(parseLink("")), ""));
});

describe("isStep", () => {
  const changed = (before: string, now: string): boolean => isStep(parseLink(before), parseLink(now));

  test("is each selection", () => {
    for (const name of LINK_PARTS.filter((one) => one !== "q")) assert.equal(changed("", `#${name}=1`), true, name);
    assert.equal(changed("#bean=Repo", ""), true);
  });

  test("is neither typing in the search nor a call that closed by itself nor a brush that moves", () => {
    assert.equal(changed("#brush=1-2", "#brush=1-3"), false);
    assert.equal(changed("#brush=1-2", ""), true);
    assert.equal(changed("#q=a", "#q=ab"), false);
    assert.equal(changed("#trace=i1.1&call=3&leaf=2", "#trace=i1.1"), false);
    assert.equal(changed("#trace=i1.1&q=a", "#trace=i1.1&q=a"), false);
    assert.equal(changed("#call=3&q=a", "#call=4&q=ab"), true);
  });
});

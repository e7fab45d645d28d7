/**
 * graphSvg: a self-contained picture, in which names are never markup.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BeanGraph } from "../../run/shapes.ts";
import { graphSvg } from "./graph-svg.ts";

type Picture = Parameters<typeof graphSvg>[1];

/** Beans below each other. The one called Mail is not recorded. */
function graphOf(names: readonly string[]): readonly [graph: BeanGraph, beans: Picture["beans"]] {
  const nodes = names.map((id) => ({
    id,
    name: id,
    stereotype: "service" as const,
    implementation: id,
    traceable: id !== "Mail",
    dependencies: [],
  }));
  const beans = names.map((id, i) => [id, { id, x: 0, y: i * 60, width: 140, height: 44, layer: 0 }] as const);
  return [{ nodes, edges: [], unspied: [] }, new Map(beans)];
}

const draw = (names: readonly string[], edges: Picture["edges"] = []): string => {
  const [graph, beans] = graphOf(names);
  const height = beans.size * 60;
  // Every token is its own colour.
  return graphSvg(
    graph,
    { width: 140, height, beans, edges, layers: [names], layerGap: 76, shelf: Infinity },
    (token) => `#${token}`,
  );
};

describe("graphSvg", () => {
  it("draws every bean in its colour, marks unrecorded ones, and has the canvas around all of it", () => {
    const text = draw(["Web", "Db", "Mail"]);
    assert.match(
      text,
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="196" height="236" viewBox="-28 -28 196 236" /,
    );
    assert.match(text, /<rect x="-28" y="-28" width="196" height="236" fill="#canvas"\/>/);
    for (const name of ["Web", "Db", "Mail"])
      assert.ok(text.includes(`fill="#text" dominant-baseline="central">${name}<`));
    assert.equal(text.match(/stroke="#s-service"/g)?.length, 3);
    assert.equal(text.match(/stroke="#muted"/g)?.length, 1);
  });

  it("draws an arrow at the end of each dependency, and at the start of one that closes a cycle", () => {
    const text = draw(
      ["Web", "Db"],
      [
        { from: "Web", to: "Db", d: "M0,0H9", back: false },
        { from: "Db", to: "Web", d: "M9,0H0", back: true },
      ],
    );
    const arrows = [...text.matchAll(/<path d="([^"]*)" fill="none" stroke="#edge" stroke-width="1.5" marker-(\w+)=/g)];
    assert.deepEqual(
      arrows.map(([, d, at]) => [d, at]),
      [
        ["M0,0H9", "end"],
        ["M9,0H0", "start"],
      ],
    );
  });

  it("escapes markup in names and contains only characters of XML", () => {
    const text = draw(['<b>&"\ud800\uffff']);
    assert.ok(text.includes("&lt;b&gt;&amp;&quot;\uFFFD\uFFFD</text>"));
    assert.doesNotMatch(text, /<b>/);
  });

  it("escapes characters that a reader would act on, or not see", () => {
    const text = draw(["a\u0001\n\u009b\u202eb\u{e0041}\ufe01"]);
    assert.ok(text.includes("a\\u{1}\\n\\u{9b}\\u{202e}b\\u{e0041}\\u{fe01}</text>"));
  });

  it("is a plain canvas without beans", () => {
    assert.doesNotMatch(draw([]), /<text|<g /);
  });
});

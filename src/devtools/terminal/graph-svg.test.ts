/**
 * graphSvg: a picture that stands alone, and takes no name for markup.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { layout } from "../dashboard/graph/layout.ts";
import type { Layout } from "../dashboard/graph/shapes.ts";
import { tokens } from "../dashboard/page/tokens.ts";
import type { BeanGraph } from "../wire.ts";
import { graphSvg } from "./graph-svg.ts";

function graphOf(names: readonly string[], edges: BeanGraph["edges"] = []): BeanGraph {
  const nodes = names.map((id) => ({
    ...{ id, name: id, stereotype: "service" as const, implementation: id },
    ...{ traceable: id !== "Mail", dependencies: edges.filter(({ from }) => from === id).map(({ to }) => to) },
  }));
  return { nodes, edges, unspied: nodes.filter(({ traceable }) => !traceable).map(({ id }) => id) };
}

const placed = ({ nodes, edges }: BeanGraph, height = 44): Layout =>
  layout(
    nodes.map(({ id }) => id),
    edges,
    () => ({ width: 140, height }),
  );

const colour = (token: string): string => tokens.light[token] ?? "";

describe("graphSvg", () => {
  it("draws every bean with its colour, and an arrow for each dependency", () => {
    const graph = graphOf(
      ["Web", "Db", "Mail"],
      [
        { from: "Web", to: "Db" },
        { from: "Web", to: "Mail" },
      ],
    );
    const text = graphSvg(graph, placed(graph), colour);
    assert.match(
      text,
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="\d+" viewBox="-28 -28 \d+ \d+" /,
    );
    for (const name of ["Web", "Db", "Mail"]) assert.ok(text.includes(`>${name}</text>`), name);
    assert.equal(text.match(/marker-end="url\(#edge\)"/g)?.length, 2);
    assert.equal(text.match(new RegExp(`stroke="${tokens.light["s-service"]}"`, "g"))?.length, 3);
    assert.equal(text.match(new RegExp(`stroke="${tokens.light["muted"]}"`, "g"))?.length, 1);
  });

  it("draws a dependency that closes a cycle from its end, and a long name on two lines", () => {
    const graph = graphOf(
      ["OrderRepository", "Db"],
      [
        { from: "OrderRepository", to: "Db" },
        { from: "Db", to: "OrderRepository" },
      ],
    );
    const text = graphSvg(graph, placed(graph, 47), colour);
    assert.equal(text.match(/marker-start="url\(#edge\)"/g)?.length, 1);
    assert.match(text, />Order<\/text>.*>Repository<\/text>/);
  });

  it("takes no name for markup and holds no character that XML cannot", () => {
    const graph = graphOf(['<b>&"\u0001\ud800']);
    const text = graphSvg(graph, placed(graph), colour);
    assert.ok(text.includes("&lt;b&gt;&amp;&quot;\uFFFD\uFFFD</text>"));
    assert.doesNotMatch(text, /<b>/);
  });

  it("is a plain canvas without beans", () => {
    const graph = graphOf([]);
    const text = graphSvg(graph, placed(graph), colour);
    assert.doesNotMatch(text, /<text/);
    assert.match(text, /width="56" height="\d+"/);
  });
});

/**
 * graphSvg: a picture that stands alone, says what the screen says, and takes no name for markup.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { reachable } from "../../analysis/reach.ts";
import type { BeanGraph } from "../../wire.ts";
import { compareRuns } from "../compare/compare.ts";
import { tokens } from "../page/tokens.ts";
import { tracePath } from "../store/path.ts";
import { callOf, graphOf, traceOf } from "../testing/fixtures.ts";
import { viewOf } from "./bean-view.ts";
import { boldPaths } from "./bold-paths.ts";
import { placeEntry } from "./geometry.ts";
import { layout } from "./layout.ts";
import { graphSvg } from "./svg.ts";
import type { Drawing } from "./svg.ts";

const graph = graphOf({ Web: ["Db", "Mail"], Db: [], Mail: [], Other: [] }, ["Mail"]);

function drawingOf(of: BeanGraph, change: Partial<Drawing> = {}): Drawing {
  const picture = layout(
    of.nodes.map((n) => n.id),
    of.edges,
    () => ({ width: 140, height: 44 }),
  );
  const reach = reachable(of, ["Web"]);
  const selected = { comparing: { value: null }, shownPath: { value: null }, reach: { value: reach } };
  return {
    picture,
    beans: new Map(of.nodes.map((n) => [n.id, n])),
    viewOf: (id) => viewOf(id, selected as never),
    reach,
    bold: new Map(),
    entry: placeEntry(picture, ["Web"]),
    groups: [],
    method: "GET",
    colour: (token) => tokens.light[token] ?? "",
    route: "GET /x",
    ...change,
  };
}

describe("graphSvg", () => {
  test("draws a route: every bean, what is out of reach faint, the pill hollow", () => {
    const { text, width, height } = graphSvg(drawingOf(graph));
    assert.match(text, new RegExp(`^<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" `));
    for (const name of ["Web", "Db", "Mail", "Other"]) assert.ok(text.includes(`>${name}</text>`), name);
    assert.equal(text.match(/ opacity="0.28"/g)?.length, 1);
    assert.match(text, /<title>GET \/x<\/title>/);
    assert.match(text, new RegExp(`fill="#ffffff" stroke="${tokens.light["m-get"]}" stroke-width="2.4"`));
  });

  test("draws a run in its method's colour with counts and times, and what threw in red", () => {
    const calls = [
      callOf(0, null, "Web", { durationUs: 2_000 }),
      callOf(1, 0, "Db", { error: { name: "E", message: "m" } }),
    ];
    const trace = traceOf(calls, { durationUs: 3_000 });
    const path = tracePath(trace, graph, ["Web"]);
    const base = drawingOf(graph);
    const selected = { comparing: { value: null }, shownPath: { value: path }, reach: { value: base.reach } };
    const { text } = graphSvg({
      ...base,
      colour: (token) => tokens.dark[token] ?? "",
      method: "POST",
      viewOf: (id) => viewOf(id, selected as never),
      bold: boldPaths(path.edges, base.picture, base.entry),
    });
    assert.equal(text.match(new RegExp(`stroke="${tokens.dark["m-post"]}" stroke-width="3.4"`, "g"))?.length, 2);
    assert.match(text, />2\.00 ms<\/text>/);
    assert.match(text, />! 1×<\/text>/);
    assert.match(text, new RegExp(`stroke="${tokens.dark["error"]}" stroke-width="3"/>`));
  });

  test("draws a comparison: shared solid, only A dotted, only B dashed", () => {
    const a = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Db")]);
    const b = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Other")]);
    const found = compareRuns(a, b, tracePath(a, graph, ["Web"]), tracePath(b, graph, ["Web"]));
    const base = drawingOf(graph);
    const selected = { comparing: { value: found }, shownPath: { value: null }, reach: { value: base.reach } };
    const paths = boldPaths(found.edges, base.picture, base.entry);
    const { text } = graphSvg({
      ...base,
      viewOf: (id) => viewOf(id, selected as never),
      bold: new Map([...paths].map(([key, path]) => [key, { ...path, side: found.edges.get(key)?.side }])),
    });
    const dashes = [...text.matchAll(/stroke-width="3.4" marker-end="url\(#run\)"(?: stroke-dasharray="([^"]*)")?/g)];
    assert.deepEqual(
      dashes.map((m) => m[1] ?? "solid"),
      ["solid", "2 6", "10 7"],
    );
    assert.deepEqual(
      [text.includes(">A B</text>"), text.includes(">A</text>"), text.includes(">B</text>")],
      [true, true, true],
    );
  });

  test("draws a method without a colour of its own in that of OPTIONS", () => {
    const { text } = graphSvg(drawingOf(graph, { method: "TRACE" }));
    assert.ok(text.includes(`stroke="${tokens.light["m-options"]}" stroke-width="2.4"`));
  });

  test("takes no name for markup and holds no character that XML cannot", () => {
    const odd = graphOf({ Web: [], '<script>&"\u0001\ud800': [] });
    const { text } = graphSvg(drawingOf(odd));
    assert.ok(text.includes("&lt;script&gt;&amp;&quot;\uFFFD\uFFFD</text>"));
    assert.doesNotMatch(text, /<script/);
  });

  test("is a plain canvas without beans, and without a pill where no method is known", () => {
    const { text, width } = graphSvg(drawingOf(graphOf({}), { entry: null, method: null }));
    assert.equal(width, 56);
    assert.doesNotMatch(text, /<text/);
  });
});

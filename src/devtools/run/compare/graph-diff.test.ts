/**
 * Graph diff: the changes, by name, and the dependencies that a rule forbids.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BeanNode, RouteInfo, Stereotype } from "../shapes.ts";
import {
  brokenRules,
  graphDiff,
  graphDocument,
  isChanged,
  parseRule,
  unknownSides,
  type GraphDocument,
  type Rule,
} from "./graph-diff.ts";

/** A document of `{ "service Orders": ["Db"] }` and routes by their entry beans. */
function documentOf(
  beans: Readonly<Record<string, readonly string[]>>,
  routes: Readonly<Record<string, readonly string[]>> = {},
): GraphDocument {
  const nodes = Object.entries(beans).map(([key, dependencies]): BeanNode => {
    const [stereotype = "bean", id = ""] = key.split(" ");
    return { id, name: id, stereotype: stereotype as Stereotype, implementation: id, traceable: true, dependencies };
  });
  const edges = nodes.flatMap(({ id, dependencies }) => dependencies.map((to) => ({ from: id, to })));
  return {
    graph: { nodes, edges, unspied: [] },
    routes: Object.entries(routes).map(([key, entered]): RouteInfo => {
      const [method = "", path = "", version] = key.split(" ");
      return { method, path, pathParams: [], beans: entered, ...(version === undefined ? {} : { version }) };
    }),
  };
}

const base = documentOf(
  { "controller Web": ["Orders"], "service Orders": ["Db"], "repository Db": [], "bean Old": [] },
  { "GET /a": ["Web"], "GET /gone": ["Web"], "GET /unknown": [] },
);
const head = documentOf(
  { "controller Web": ["Db", "Orders"], "component Orders": ["Mail"], "repository Db": [], "service Mail": [] },
  { "GET /a": ["Orders"], "GET /a 2": ["Web"], "GET /new": ["Web"], "GET /unknown": ["Web"] },
);

const rulesOf = (...texts: readonly string[]): readonly Rule[] =>
  texts.map((text) => {
    const rule = parseRule(text);
    assert.ok(typeof rule !== "string", text);
    return rule;
  });

describe("graphDiff", () => {
  it("names added and removed beans and dependencies, and for known routes the beans that they reach", () => {
    const diff = graphDiff(base, head);
    assert.deepEqual(
      { ...diff, addedBeans: diff.addedBeans.map(({ id }) => id), removedBeans: diff.removedBeans.map(({ id }) => id) },
      {
        addedBeans: ["Mail"],
        removedBeans: ["Old"],
        changedBeans: [{ id: "Orders", from: "service", to: "component" }],
        addedEdges: [
          { from: "Orders", to: "Mail" },
          { from: "Web", to: "Db" },
        ],
        removedEdges: [{ from: "Orders", to: "Db" }],
        addedRoutes: ["GET /a 2", "GET /new"],
        removedRoutes: ["GET /gone"],
        reach: [{ route: "GET /a", added: ["Mail"], removed: ["Db", "Web"] }],
      },
    );
    assert.equal(isChanged(diff), true);
  });

  it("sorts each list, and leaves out a route with unknown beans", () => {
    const routes = { "GET /b": ["A"], "GET /a": ["A"], "GET /lost": ["A"], "GET /z": ["A"], "GET /y": ["A"] };
    const one = documentOf({ "service B": [], "service A": ["B"], "bean Y": [], "bean X": [], "bean D": [] }, routes);
    const two = documentOf(
      { "bean B": [], "bean A": ["N", "M"], "bean N": [], "bean M": [], "bean D": [] },
      { "GET /b": ["A"], "GET /a": ["A"], "GET /lost": [], "GET /n": ["A"], "GET /m": ["A"] },
    );
    const ids = (nodes: readonly BeanNode[]): readonly string[] => nodes.map(({ id }) => id);
    const { addedBeans, removedBeans, ...rest } = graphDiff(one, two);
    assert.deepEqual(
      [ids(addedBeans), ids(removedBeans)],
      [
        ["M", "N"],
        ["X", "Y"],
      ],
    );
    const reached = { added: ["M", "N"], removed: ["B"] };
    assert.deepEqual(rest, {
      changedBeans: ["A", "B"].map((id) => ({ id, from: "service", to: "bean" })),
      addedEdges: ["M", "N"].map((to) => ({ from: "A", to })),
      removedEdges: [{ from: "A", to: "B" }],
      addedRoutes: ["GET /m", "GET /n"],
      removedRoutes: ["GET /y", "GET /z"],
      reach: ["GET /a", "GET /b"].map((route) => ({ route, ...reached })),
    });
    const back = graphDiff(two, one);
    assert.deepEqual(back.reach[0], { route: "GET /a", added: ["B"], removed: ["M", "N"] });
    assert.equal(isChanged(graphDiff(one, { ...one, routes: one.routes.slice(1) })), true);
    const [b, c] = ["B", "C"].map((to) => documentOf({ "bean A": [to], [`bean ${to}`]: [] }, { "GET /": ["A"] }));
    assert.ok(b !== undefined && c !== undefined);
    assert.deepEqual(graphDiff(b, c).reach, [{ route: "GET /", added: ["C"], removed: ["B"] }]);
  });

  it("finds nothing between a graph and itself in another order", () => {
    const { graph, routes } = head;
    const turned = {
      graph: { ...graph, nodes: graph.nodes.toReversed(), edges: graph.edges.toReversed() },
      routes: routes.toReversed(),
    };
    assert.equal(isChanged(graphDiff(head, turned)), false);
  });
});

describe("graphDocument", () => {
  it("is the same text for any order of beans, dependencies and entries, and has no contract", () => {
    const { graph } = head;
    const route = { method: "GET", path: "/a", pathParams: [] };
    const one = graphDocument(graph, [{ ...route, beans: ["Web", "Db"], contract: { summary: "s" } }]);
    const nodes = graph.nodes.map((node) => ({ ...node, dependencies: node.dependencies.toReversed() }));
    const other = { ...graph, nodes: nodes.toReversed(), edges: graph.edges.toReversed() };
    assert.equal(JSON.stringify(one), JSON.stringify(graphDocument(other, [{ ...route, beans: ["Db", "Web"] }])));
    assert.deepEqual(one.routes, [{ ...route, beans: ["Db", "Web"] }]);
    const byName = new Map(graph.nodes.map((node) => [node.id, node]));
    assert.deepEqual(one.graph, {
      nodes: ["Db", "Mail", "Orders", "Web"].map((id) => byName.get(id)),
      edges: [
        { from: "Orders", to: "Mail" },
        { from: "Web", to: "Db" },
        { from: "Web", to: "Orders" },
      ],
      unspied: [],
    });
    assert.deepEqual(graphDocument({ ...graph, unspied: ["b", "a"] }, []).graph.unspied, ["a", "b"]);
  });
});

describe("parseRule", () => {
  it("has two sides with an arrow between", () => {
    assert.deepEqual(parseRule(" controller->repository "), {
      text: "controller -> repository",
      from: "controller",
      to: "repository",
    });
  });

  for (const text of ["", "controller", "a -> b -> c", "-> b", "a ->"])
    it(`rejects ${JSON.stringify(text)}`, () => assert.match(String(parseRule(text)), / is no rule: /));
});

describe("brokenRules", () => {
  const broken = (...texts: readonly string[]): readonly string[] =>
    brokenRules(rulesOf(...texts), head.graph, base.graph).map(({ from, to, isNew }) => `${from}>${to} ${isNew}`);

  it("finds the dependencies between stereotypes, and marks the new ones", () => {
    assert.deepEqual(broken("controller -> repository"), ["Web>Db true"]);
    assert.deepEqual(broken("controller -> component"), ["Web>Orders false"]);
    assert.deepEqual(broken("repository -> controller", "service -> service"), []);
  });

  const sides: Readonly<Record<string, readonly string[]>> = {
    "Web -> Db": ["Web>Db true"],
    "Web -> *": ["Web>Db true", "Web>Orders false"],
    "* -> M*l": ["Orders>Mail true"],
    "O*d*rs -> Mail": ["Orders>Mail true"],
    "Or*rders -> *": [],
    "*rders -> *ai*": ["Orders>Mail true"],
    "web -> *": [],
    "x*s -> *": [],
    "*x* -> *": [],
    "*s*r* -> *": [],
    "*er*rs -> *": [],
    "*er*s -> *": ["Orders>Mail true"],
    "*O*s -> *": ["Orders>Mail true"],
  };
  for (const [text, found] of Object.entries(sides))
    it(`matches names, and * for anything: ${text}`, () => assert.deepEqual(broken(text), found));

  it("matches a bean by its id and by its name, and only beans of the graph", () => {
    const { graph } = head;
    const named = graph.nodes.map((node) => (node.id === "Web" ? { ...node, name: "Shop" } : node));
    const edges = [...graph.edges, { from: "Web", to: "Gone" }];
    for (const text of ["Web -> Db", "Shop -> Db"])
      assert.equal(brokenRules(rulesOf(text), { ...graph, nodes: named, edges }).length, 1, text);
    assert.deepEqual(
      brokenRules(rulesOf("Web -> *"), { ...graph, edges }).map(({ to }) => to),
      ["Db", "Orders"],
    );
  });

  it("marks none as new without an earlier graph", () => {
    assert.deepEqual(brokenRules(rulesOf("Web -> Db"), head.graph), [
      { rule: "Web -> Db", from: "Web", to: "Db", isNew: false },
    ]);
  });
});

describe("unknownSides", () => {
  it("names each unknown bean or stereotype once, and no name with *", () => {
    const rules = rulesOf("controler -> repository", "controler -> Db", "No* -> service");
    assert.deepEqual(unknownSides(rules, head.graph), ["controler"]);
    const stereotypes = ["controller", "service", "repository", "component", "bean"];
    const none = { nodes: [], edges: [], unspied: [] };
    assert.deepEqual(unknownSides(rulesOf(...stereotypes.map((one) => `${one} -> Db`)), none), ["Db"]);
  });
});

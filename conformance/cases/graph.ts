/** The bean graph, by HTTP: the beans of the subject and what each depends on. Spec: graph.md (GRAPH). */
import { type Static, Type } from "typebox";
import { BeanEdge, BeanNode, type BeanGraph } from "../../spec/graph.ts";
import { proves } from "../kit/case.ts";
import { checked } from "../kit/checked.ts";
import { asJson, graphPath } from "../kit/devtools.ts";
import type { Probe } from "../kit/probe.ts";

/** The three lists that a graph is; what stands in them is judged as it is read. */
const AnyGraph = Type.Object({
  nodes: Type.Array(Type.Unknown()),
  edges: Type.Array(Type.Unknown()),
  unspied: Type.Array(Type.String()),
});

async function graphOf(probe: Probe): Promise<Static<typeof BeanGraph>> {
  const { nodes, edges, unspied } = probe.json(AnyGraph, await probe.send("GET", graphPath, { headers: asJson }));
  return {
    nodes: nodes.map((node) => checked("a node", BeanNode, node)),
    edges: edges.map((edge) => checked("an edge", BeanEdge, edge)),
    unspied,
  };
}

/** What spec/subject.md draws: a bean and those it depends on. */
const drawn: Readonly<Record<string, readonly string[]>> = {
  Catalog: [],
  Database: [],
  Leaf: [],
  Left: ["Leaf"],
  Mailer: [],
  Middle: ["Leaf"],
  OrderController: ["OrderService"],
  OrderRepository: ["Database"],
  OrderService: ["Catalog", "Mailer", "OrderRepository", "Pricing"],
  ParallelController: ["Left", "Middle", "Right"],
  Pricing: [],
  Right: ["Leaf"],
};

/** Bound as a class; all others are bound as interfaces. */
const asClass = "Database";

const stereotypeOf = (name: string): string =>
  ["Controller", "Service", "Repository"].find((ending) => name.endsWith(ending))?.toLowerCase() ?? "bean";

/** The cases of this chapter. */
export const graph = [
  proves("GRAPH-001", "holds one node for each bean of the subject", async (probe) => {
    const { nodes } = await graphOf(probe);
    probe.equal("the names of the nodes", nodes.map(({ name }) => name).toSorted(), Object.keys(drawn));
  }),

  proves("GRAPH-002", "gives each node the name of its bean for an id", async (probe) => {
    const { nodes } = await graphOf(probe);
    probe.equal("the ids", nodes.map(({ id }) => id).toSorted(), Object.keys(drawn));
  }),

  proves("GRAPH-013", "says of each bean what it is for", async (probe) => {
    const { nodes } = await graphOf(probe);
    const seen = nodes.map(({ name, stereotype }) => [name, stereotype] as const);
    const expected = Object.keys(drawn).map((name) => [name, stereotypeOf(name)]);
    probe.equal("the stereotypes", Object.fromEntries(seen), Object.fromEntries(expected));
  }),

  proves("GRAPH-003", "draws each edge from the bean that needs to the bean that is needed", async (probe) => {
    const { edges } = await graphOf(probe);
    const expected = Object.entries(drawn).flatMap(([from, needed]) => needed.map((to) => `${from} → ${to}`));
    probe.equal("the edges", edges.map(({ from, to }) => `${from} → ${to}`).toSorted(), expected);
  }),

  proves("GRAPH-004", "ends every edge at nodes that are there", async (probe) => {
    const { nodes, edges } = await graphOf(probe);
    const ids = new Set(nodes.map(({ id }) => id));
    const ends = edges.flatMap(({ from, to }) => [from, to]);
    probe.equal(
      "the ends of edges, and those that are no node",
      [ends.length > 0, ends.filter((id) => !ids.has(id))],
      [true, []],
    );
  }),

  proves("GRAPH-005", "lists as a node's dependencies where its edges lead", async (probe) => {
    const { nodes, edges } = await graphOf(probe);
    const listed = nodes.map(({ id, dependencies }) => [id, dependencies.toSorted()]);
    const led = nodes.map(({ id }) => [id, edges.flatMap(({ from, to }) => (from === id ? [to] : [])).toSorted()]);
    probe.equal("the dependencies", listed, led);
  }),

  proves("GRAPH-006", "gives every node one of the five stereotypes", async (probe) => {
    const { nodes } = await graphOf(probe);
    const known = ["controller", "service", "repository", "component", "bean"];
    const others = nodes.map(({ stereotype }) => stereotype).filter((one) => !known.includes(one));
    probe.equal(
      "how many there are, at least, and those of another stereotype",
      [nodes.length > 0, others],
      [true, []],
    );
  }),

  proves("GRAPH-007", "calls the bean that is bound as a class not traceable", async (probe) => {
    const { nodes } = await graphOf(probe);
    probe.equal("whether it is traceable", nodes.find(({ name }) => name === asClass)?.traceable, false);
  }),

  proves("GRAPH-008", "calls the beans that are bound as interfaces traceable", async (probe) => {
    const { nodes } = await graphOf(probe);
    const traceable = nodes.filter((node) => node.traceable).map(({ name }) => name);
    const interfaces = Object.keys(drawn).filter((name) => name !== asClass);
    probe.equal(
      "interfaces that are not traceable",
      interfaces.filter((name) => !traceable.includes(name)),
      [],
    );
  }),

  proves("GRAPH-009", "lists as unspied the nodes that are not traceable", async (probe) => {
    const { nodes, unspied } = await graphOf(probe);
    const untraceable = nodes.filter(({ traceable }) => !traceable).map(({ id }) => id);
    probe.equal("the unspied", unspied.toSorted(), untraceable.toSorted());
  }),

  proves("GRAPH-011", "says why a bean is not traceable", async (probe) => {
    const { nodes } = await graphOf(probe);
    const others = nodes.filter(({ traceable, reason }) => !traceable && reason === undefined);
    probe.equal(
      "those without a reason",
      others.map(({ name }) => name),
      [],
    );
    probe.equal("the reason of the class", nodes.find(({ name }) => name === asClass)?.reason, "class");
  }),

  proves("GRAPH-016", "says no reason of a bean that is traceable", async (probe) => {
    const { nodes } = await graphOf(probe);
    const seen = nodes.filter(({ traceable }) => traceable);
    const reasons = seen.filter(({ reason }) => reason !== undefined).map(({ name }) => name);
    probe.equal("whether there are any, and those with a reason", [seen.length > 0, reasons], [true, []]);
  }),
];

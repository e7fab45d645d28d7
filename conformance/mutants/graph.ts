/** Broken bean graphs. */
import type { Static } from "typebox";
import type { BeanGraph } from "../../spec/graph.ts";
import type { RequirementId } from "../../spec/requirements.ts";
import { asJson, graphPath } from "../kit/devtools.ts";
import { breaks, editObject, headerOf, type Mutant } from "../kit/mutant.ts";

type Graph = Static<typeof BeanGraph>;

/** Whatever reads a graph fails when it is none. */
const readers: readonly RequirementId[] = [
  "DEV-003",
  ...(["GRAPH-001", "GRAPH-003", "GRAPH-004", "GRAPH-005", "GRAPH-006", "GRAPH-007"] as const),
  ...(["GRAPH-008", "GRAPH-009", "GRAPH-011"] as const),
];

function spoils(name: string, kills: readonly RequirementId[], change: (graph: Graph) => unknown): Mutant {
  return breaks(name, kills, (exchange) => {
    const { sent, status } = exchange;
    if (sent.target !== graphPath || status !== 200) return exchange;
    if (headerOf(sent.headers, "accept") !== asJson.accept) return exchange;
    return editObject(exchange, (body) => change(body as unknown as Graph));
  });
}

/** The graph with the node of that id changed. */
function withNode({ nodes, ...graph }: Graph, id: string, change: (node: Graph["nodes"][number]) => object): object {
  return { ...graph, nodes: nodes.map((node) => (node.id === id ? { ...node, ...change(node) } : node)) };
}

/** The mutants of this chapter. */
export const graph = [
  spoils("graph-forgets-a-bean", ["GRAPH-001", "GRAPH-004", "GRAPH-008"], (found) => ({
    ...found,
    nodes: found.nodes.filter(({ id }) => id !== "Mailer"),
  })),
  spoils("graph-makes-up-a-bean", ["GRAPH-001"], (found) => ({
    ...found,
    nodes: [...found.nodes, { ...found.nodes[0], id: "Made", name: "Made", traceable: true, dependencies: [] }],
  })),
  spoils("graph-turns-the-arrows-round", ["GRAPH-003", "GRAPH-005"], (found) => ({
    ...found,
    edges: found.edges.map(({ from, to }) => ({ from: to, to: from })),
  })),
  spoils("graph-turns-everything-round", ["GRAPH-003"], ({ nodes, edges, unspied }) => ({
    nodes: nodes.map((node) => ({
      ...node,
      dependencies: edges.flatMap(({ from, to }) => (to === node.id ? [from] : [])),
    })),
    edges: edges.map(({ from, to }) => ({ from: to, to: from })),
    unspied,
  })),
  spoils("graph-draws-no-edges", ["GRAPH-003", "GRAPH-004"], ({ nodes, unspied }) => ({
    nodes: nodes.map((node) => ({ ...node, dependencies: [] })),
    edges: [],
    unspied,
  })),
  spoils("graph-edge-leads-nowhere", ["GRAPH-003", "GRAPH-004", "GRAPH-005"], (found) => ({
    ...found,
    edges: [...found.edges, { from: "Leaf", to: "Nowhere" }],
  })),
  spoils("graph-node-keeps-a-dependency-to-itself", ["GRAPH-005"], (found) =>
    withNode(found, "OrderService", ({ dependencies }) => ({ dependencies: dependencies.slice(1) })),
  ),
  spoils("graph-stereotype-of-its-own", readers, (found) =>
    withNode(found, "Catalog", () => ({ stereotype: "gadget" })),
  ),
  spoils("graph-claims-to-trace-a-class", ["GRAPH-007", "GRAPH-011"], (found) => ({
    ...withNode(found, "Database", () => ({ traceable: true })),
    unspied: [],
  })),
  spoils("graph-hides-that-it-traces", ["GRAPH-008"], (found) => ({
    ...withNode(found, "Leaf", () => ({ traceable: false, reason: "proxy" })),
    unspied: [...found.unspied, "Leaf"],
  })),
  spoils("graph-forgets-the-unspied", ["GRAPH-009"], (found) => ({ ...found, unspied: [] })),
  spoils("graph-gives-no-reasons", ["GRAPH-011"], (found) =>
    withNode(found, "Database", () => ({ reason: undefined })),
  ),
  spoils("graph-gives-a-reason-for-what-it-traces", ["GRAPH-011"], (found) =>
    withNode(found, "Leaf", () => ({ reason: "proxy" })),
  ),
  spoils("graph-calls-a-class-a-proxy", ["GRAPH-011"], (found) =>
    withNode(found, "Database", () => ({ reason: "proxy" })),
  ),
];

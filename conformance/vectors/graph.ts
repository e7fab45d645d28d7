/** The bean graph as data: the beans of the subject and what each depends on. Spec: graph.md (GRAPH). */
import { graphPath } from "../kit/devtools.ts";
import { read } from "./traces.ts";
import { shows, step, type ValueExpectation, type Vector } from "./vector.ts";

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
const beans = Object.keys(drawn);
const edges = Object.entries(drawn).flatMap(([from, needed]) => needed.map((to) => ({ from, to })));

/** Bound as a class; all others are bound as interfaces. */
const asClass = "Database";
const interfaces = beans.filter((name) => name !== asClass);

const stereotypeOf = (name: string): string =>
  ["Controller", "Service", "Repository"].find((ending) => name.endsWith(ending))?.toLowerCase() ?? "bean";

type Values = Readonly<Record<string, ValueExpectation>>;

/** What is true of each of these beans in the graph. */
const each = (names: readonly string[], member: string, expected: (name: string) => ValueExpectation): Values =>
  Object.fromEntries(names.map((name) => [`/nodes/[name=${name}]/${member}`, expected(name)]));

const graphHas = (id: Vector["id"], title: string, at: Values): Vector => shows(id, title, [read(graphPath, at)]);

/** The vectors of this chapter. */
export const graph = [
  graphHas("GRAPH-001", "there is one node for each bean of the subject", { "/nodes/*/name": { members: beans } }),
  graphHas("GRAPH-002", "each node has the name of its bean for an id", {
    "/nodes/*/id": { members: beans },
    ...each(beans, "id", (name) => ({ is: name })),
  }),
  graphHas(
    "GRAPH-013",
    "each node says what its bean is for",
    each(beans, "stereotype", (name) => ({ is: stereotypeOf(name) })),
  ),
  graphHas("GRAPH-003", "each edge is drawn from the bean that needs to the bean that is needed", {
    "/edges/*/from": { members: edges.map(({ from }) => from) },
    ...Object.fromEntries(edges.map(({ from, to }) => [`/edges/[from=${from}&to=${to}]`, { present: true }])),
  }),
  graphHas("GRAPH-004", "every edge ends at nodes that are there", {
    "/nodes/*/id": { members: beans },
    "/edges/*/from": { members: edges.map(({ from }) => from) },
    "/edges/*/to": { members: edges.map(({ to }) => to) },
  }),
  graphHas("GRAPH-005", "the dependencies of a node are where its edges lead", {
    "/edges/*/to": { members: edges.map(({ to }) => to) },
    ...each(beans, "dependencies", (name) => ({ members: [...(drawn[name] ?? [])] })),
  }),
  graphHas("GRAPH-006", "every node has one of the five stereotypes", {
    "/nodes/*/stereotype": { members: beans.map(stereotypeOf) },
  }),
  graphHas(
    "GRAPH-007",
    "the bean that is bound as a class is not traceable",
    each([asClass], "traceable", () => ({ is: false })),
  ),
  graphHas(
    "GRAPH-008",
    "the beans that are bound as interfaces are traceable",
    each(interfaces, "traceable", () => ({ is: true })),
  ),
  graphHas("GRAPH-009", "the nodes that are not traceable are listed as unspied", {
    "/nodes/*/traceable": { members: beans.map((name) => name !== asClass) },
    ...each([asClass], "traceable", () => ({ is: false })),
    "/unspied": { is: [asClass] },
  }),
  graphHas("GRAPH-011", "a bean that is not traceable has a reason", {
    "/nodes/*/traceable": { has: false },
    ...each([asClass], "reason", () => ({ is: "class" })),
  }),
  graphHas("GRAPH-016", "a bean that is traceable has no reason", {
    ...each(interfaces, "name", (is) => ({ is })),
    ...each(interfaces, "reason", () => ({ present: false })),
  }),
  shows("GRAPH-014", "there are nodes, edges and a list of the unspied, and every bean is named", [
    step("GET", `${graphPath}?about=any-name`, {
      status: 200,
      body: [
        { at: { "/nodes/0": { present: true }, "/edges/0": { present: true }, "/unspied": { present: true } } },
        ...beans.map((name) => ({ has: `"${name}"` })),
      ],
    }),
  ]),
];

/**
 * The reference graph of a document's schemas, computed once for all of them. The work is proportional to the document, even for
 * long chains of references.
 *
 *   Circles   A ──▶ B ──▶ A: what refers to itself without an object or a list between
 *   sidedOf   which named schemas differ between requests and responses: one has readOnly or writeOnly below it
 */
import { isJson, listIn, objectIn, type Json } from "../document/json.ts";
import { pointerParts, targetIfThere } from "../document/operations.ts";
import { isLeftOut } from "../document/sides.ts";

/** The canonical spelling of a reference. */
export const canonicalOf = (reference: string): string =>
  `#${pointerParts(reference)
    .map((part) => `/${escaped(part)}`)
    .join("")}`;

/** A step of a reference, escaped. */
export const escaped = (part: string): string =>
  part.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("%", "%25");

/** The circles of a graph: nodes that refer to one another. Tarjan's algorithm, without recursion. */
export class Circles {
  readonly #edges: (node: string) => readonly string[];
  /** The circle of each visited node, named by its first visited node. */
  readonly #found: Map<string, string> = new Map();

  /** @param edges the nodes that a node refers to */
  constructor(edges: (node: string) => readonly string[]) {
    this.#edges = edges;
  }

  /** Are they in the same circle? */
  isOne(a: string, b: string): boolean {
    return this.#circleOf(a) === this.#circleOf(b);
  }

  #circleOf(root: string): string | undefined {
    if (this.#found.has(root)) return this.#found.get(root);
    const order = new Map<string, number>();
    const open: string[] = [];
    const enter = (node: string): Visit => {
      const at = order.size;
      order.set(node, at);
      return { node, at, lowest: at, from: open.push(node) - 1, rest: this.#edges(node).values() };
    };
    const path = [enter(root)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const { done, value: next } = visit.rest.next();
      if (done !== true) {
        const seen = order.get(next);
        if (seen === undefined && !this.#found.has(next)) path.push(enter(next));
        else if (seen !== undefined && !this.#found.has(next)) visit.lowest = Math.min(visit.lowest, seen);
        continue;
      }
      path.pop();
      const before = path.at(-1);
      if (before !== undefined) before.lowest = Math.min(before.lowest, visit.lowest);
      if (visit.lowest === visit.at) for (const one of open.splice(visit.from)) this.#found.set(one, visit.node);
    }
    return this.#found.get(root);
  }
}

/** A node in progress, with its remaining edges. */
interface Visit {
  readonly node: string;
  readonly at: number;
  lowest: number;
  readonly from: number;
  readonly rest: Iterator<string>;
}

/** The references to schemas that differ between requests and responses, in themselves or below. */
export function sidedOf(document: Json): ReadonlySet<string> {
  const nodes = new Map<string, unknown>();
  const refer = (reference: unknown): string | undefined => {
    const schema = typeof reference === "string" ? targetIfThere(document, reference) : undefined;
    if (schema === undefined) return undefined;
    const node = canonicalOf(String(reference));
    nodes.set(node, schema);
    return node;
  };
  for (const value of within(document, (one) => Object.values(one))) refer(value["$ref"]);
  for (const name of Object.keys(objectIn(objectIn(document["components"])["schemas"])))
    refer(`#/components/schemas/${escaped(name)}`);
  const users = new Map<string, string[]>();
  const sided = new Set<string>();
  for (const [node, root] of nodes)
    for (const schema of within(root, subschemas)) {
      const properties = Object.values(objectIn(schema["properties"]));
      if (properties.some((one) => isLeftOut(document, one, "input") || isLeftOut(document, one, "output")))
        sided.add(node);
      const used = refer(schema["$ref"]);
      const known = users.get(used ?? "");
      if (known !== undefined) known.push(node);
      else if (used !== undefined) users.set(used, [node]);
    }
  // A schema that uses one of them is one too, so the set grows during the loop.
  for (const node of sided) for (const user of users.get(node) ?? []) sided.add(user);
  return sided;
}

/** The objects of a value: itself and everything that `below` returns, at any depth. */
function* within(value: unknown, below: (one: Json) => readonly unknown[]): Generator<Json, void, undefined> {
  const waiting = [value];
  for (let one = waiting.pop(); waiting.length > 0 || one !== undefined; one = waiting.pop()) {
    if (isJson(one)) yield one;
    for (const inner of isJson(one) ? below(one) : listIn(one)) waiting.push(inner);
  }
}

/** The schemas that are written inside one. */
const subschemas = (schema: Json): readonly unknown[] => [
  ...["properties", "patternProperties"].flatMap((keyword) => Object.values(objectIn(schema[keyword]))),
  ...["prefixItems", "items", "anyOf", "oneOf", "allOf", "additionalItems", "additionalProperties"].map(
    (keyword) => schema[keyword],
  ),
];

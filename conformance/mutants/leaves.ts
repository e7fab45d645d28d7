/** Traces that show the wrong leaves. */
import type { RequirementId } from "../../spec/requirements.ts";
import type { Mutant } from "../kit/mutant.ts";
import { spoilsTrace } from "../kit/spoil.ts";
import type { Leaf } from "../kit/traces.ts";

/** Rewrites the leaves of the traces about `leaf-<mark>`. */
function ofLeaves(
  name: string,
  id: RequirementId,
  mark: string,
  change: (leaves: readonly Leaf[]) => readonly object[],
): Mutant {
  return spoilsTrace(name, [id], `leaf-${mark}`, (trace) => ({ ...trace, leaves: change(trace.leaves) }));
}

/** The leaves, those of one kind changed. */
const withKind =
  <K extends Leaf["kind"]>(kind: K, change: (leaf: Extract<Leaf, { kind: K }>) => object) =>
  (leaves: readonly Leaf[]): readonly object[] =>
    leaves.map((leaf) => (leaf.kind === kind ? { ...leaf, ...change(leaf as Extract<Leaf, { kind: K }>) } : leaf));

/** The leaves, the details of one kind changed. */
const withDetail = <K extends Leaf["kind"]>(kind: K, change: object) =>
  withKind(kind, ({ detail }) => ({ detail: { ...detail, ...change } }));

/** The mutants of leaves. */
export const leaves = [
  ofLeaves("leaves-in-order-of-end", "LEAF-001", "order", (all) => all.toReversed()),
  ofLeaves("leaves-without-lines", "LEAF-001", "order", (all) => all.filter(({ kind }) => kind !== "log")),
  ofLeaves("leaves-numbered-from-one", "LEAF-001", "order", (all) => all.map((leaf) => ({ ...leaf, id: leaf.id + 1 }))),
  ofLeaves(
    "leaves-under-the-request",
    "LEAF-002",
    "parent",
    withKind("sql", () => ({ parentId: null })),
  ),
  ofLeaves("leaves-under-the-first-call", "LEAF-002", "parent", (all) => all.map((leaf) => ({ ...leaf, parentId: 0 }))),
  ofLeaves("leaves-sql-without-parameters", "LEAF-003", "sql", withDetail("sql", { parameters: [] })),
  ofLeaves("leaves-sql-without-rows", "LEAF-003", "sql", withDetail("sql", { rows: null })),
  ofLeaves("leaves-sql-operation-alone", "LEAF-003", "sql", withDetail("sql", { statement: "select" })),
  ofLeaves("leaves-log-without-fields", "LEAF-004", "log", withDetail("log", { fields: {} })),
  ofLeaves("leaves-log-of-another-level", "LEAF-004", "log", withDetail("log", { level: "warn" })),
  ofLeaves("leaves-cache-without-key", "LEAF-005", "cache", withDetail("cache", { key: "" })),
  ofLeaves("leaves-cache-always-hits", "LEAF-005", "cache", withDetail("cache", { hit: true })),
  ofLeaves("leaves-message-without-body", "LEAF-006", "message", withDetail("message", { body: null })),
  ofLeaves("leaves-message-nowhere", "LEAF-006", "message", withDetail("message", { destination: "" })),
  ofLeaves(
    "leaves-never-fail",
    "LEAF-007",
    "error",
    withKind("sql", () => ({ error: null })),
  ),
  ofLeaves("leaves-all-fail", "LEAF-007", "error", (all) => {
    const error = { name: "Error", message: "failed as asked" };
    return all.map((leaf) => ({ ...leaf, error }));
  }),
  ofLeaves(
    "leaves-outlive-the-run",
    "LEAF-008",
    "times",
    withKind("sql", () => ({ durationUs: 60_000_000 })),
  ),
  ofLeaves(
    "leaves-never-end",
    "LEAF-008",
    "times",
    withKind("sql", () => ({ durationUs: null })),
  ),
  ofLeaves("leaves-of-the-neighbour", "LEAF-009", "apart", (all) => [
    ...all,
    ...withDetail("cache", { key: "marks:another" })(all.filter(({ kind }) => kind === "cache")),
  ]),
  ofLeaves(
    "leaves-show-secrets-by-name",
    "LEAF-010",
    "secrets",
    withKind("log", ({ detail }) => ({ detail: { ...detail, fields: { ...detail.fields, password: "hunter2-x" } } })),
  ),
  ofLeaves(
    "leaves-show-secrets-elsewhere",
    "LEAF-010",
    "secrets",
    withKind("message", ({ detail }) => ({ detail: { ...detail, body: { note: "hunter2-x" } } })),
  ),
];

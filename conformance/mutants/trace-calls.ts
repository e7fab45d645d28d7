/** Traces that show the wrong calls. */
import type { RequirementId } from "../../spec/requirements.ts";
import type { Mutant } from "../kit/mutant.ts";
import { spoilsTrace } from "../kit/spoil.ts";
import type { Call } from "../kit/traces.ts";

/** Rewrites the calls of the traces about `mark`. */
function ofCalls(
  name: string,
  id: RequirementId,
  mark: string,
  change: (calls: readonly Call[]) => readonly object[],
): Mutant {
  return spoilsTrace(name, [id], mark, (trace) => ({ ...trace, calls: change(trace.calls) }));
}

/** The calls, those of one bean changed. */
const withBean =
  (bean: string, change: (call: Call, calls: readonly Call[]) => object) =>
  (calls: readonly Call[]): readonly object[] =>
    calls.map((call) => (call.bean === bean ? { ...call, ...change(call, calls) } : call));

const idOf = (bean: string, calls: readonly Call[]): number | null =>
  calls.find((call) => call.bean === bean)?.id ?? null;

/** The mutants of calls. */
export const traceCalls = [
  ofCalls("calls-in-order-of-return", "TRACE-017", "entries", (calls) => calls.toReversed()),
  ofCalls("calls-without-the-mailer", "TRACE-017", "entries", (calls) => calls.filter(({ bean }) => bean !== "Mailer")),
  ofCalls("calls-numbered-from-one", "TRACE-017", "entries", (calls) =>
    calls.map((call) => ({ ...call, id: call.id + 1, parentId: call.parentId === null ? null : call.parentId + 1 })),
  ),
  ofCalls(
    "calls-parent-is-the-last-entered",
    "TRACE-018",
    "parents",
    withBean("Leaf", (_, calls) => ({
      parentId: idOf("Right", calls),
    })),
  ),
  ofCalls(
    "calls-parent-is-the-root",
    "TRACE-018",
    "parents",
    withBean("Leaf", () => ({ parentId: 0 })),
  ),
  ofCalls(
    "calls-root-has-a-parent",
    "TRACE-018",
    "parents",
    withBean("ParallelController", () => ({ parentId: 0 })),
  ),
  ofCalls("calls-depth-from-one", "TRACE-019", "depth", (calls) =>
    calls.map((call) => ({ ...call, depth: call.depth + 1 })),
  ),
  ofCalls(
    "calls-depth-of-siblings-grows",
    "TRACE-019",
    "depth",
    withBean("Right", () => ({ depth: 3 })),
  ),
  ofCalls(
    "calls-arguments-as-text",
    "TRACE-020",
    "arguments",
    withBean("OrderService", ({ args }) => ({
      args: args.map(String),
    })),
  ),
  ofCalls("calls-without-arguments", "TRACE-020", "arguments", (calls) => calls.map((call) => ({ ...call, args: [] }))),
  ofCalls(
    "calls-result-is-a-promise",
    "TRACE-021",
    "results",
    withBean("OrderRepository", () => ({
      result: { $thenable: true },
    })),
  ),
  ofCalls(
    "calls-result-of-the-caller",
    "TRACE-021",
    "results",
    withBean("Pricing", () => ({ result: { item: "tea" } })),
  ),
  ofCalls(
    "calls-thrown-is-returned",
    "TRACE-022",
    "thrown",
    withBean("OrderController", ({ error }) => ({
      result: error,
      error: null,
    })),
  ),
  ofCalls(
    "calls-error-by-another-name",
    "TRACE-022",
    "thrown",
    withBean("OrderController", () => ({
      error: { name: "Error", message: "failed" },
    })),
  ),
  ofCalls(
    "calls-nothing-is-null",
    "TRACE-023",
    "nothing",
    withBean("Mailer", () => ({ result: null })),
  ),
  ofCalls(
    "calls-async-nothing-is-null",
    "TRACE-023",
    "nothing",
    withBean("OrderController", () => ({ result: null })),
  ),
  ofCalls(
    "calls-outlive-their-caller",
    "TRACE-026",
    "times",
    withBean("Leaf", () => ({ durationUs: 60_000_000 })),
  ),
  ofCalls(
    "calls-begin-with-the-request",
    "TRACE-026",
    "times",
    withBean("Leaf", () => ({ startUs: 0 })),
  ),
  ofCalls(
    "calls-never-end",
    "TRACE-026",
    "times",
    withBean("ParallelController", () => ({ durationUs: null })),
  ),
  ofCalls("calls-of-the-neighbour", "TRACE-027", "apart", (calls) => [
    ...calls,
    ...calls.filter(({ bean }) => bean === "Catalog").map((call) => ({ ...call, id: calls.length, args: ["another"] })),
  ]),
];

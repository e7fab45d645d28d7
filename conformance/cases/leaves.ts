/** Leaves over HTTP: the operations of a run below its beans. Spec: leaves.md (LEAF). */
import { proves } from "../kit/case.ts";
import { isLasting } from "../kit/evidence.ts";
import type { Probe } from "../kit/probe.ts";
import { idIn } from "../kit/response.ts";
import { traced, type Traced } from "../kit/traces.ts";

/** A run with one leaf of each kind and its own mark. */
function left(probe: Probe, about: string, mark: string, more = ""): Promise<Traced> {
  return traced(probe, "GET", `/leaves/${mark}?about=leaf-${about}${more}`);
}

/** Creates an order and returns the run that finds it. */
async function found(probe: Probe, about: string): Promise<Traced & { readonly id: string }> {
  const created = await probe.send("POST", "/orders", { json: { item: "tea", total: 10 } });
  const id = idIn(created) ?? "";
  return { id, ...(await traced(probe, "GET", `/orders/${id}?about=leaf-${about}`)) };
}

/** The cases of this chapter that are not vectors. */
export const leaves = [
  proves("LEAF-008", "times each leaf within its run and its call", async (probe) => {
    const { trace } = await found(probe, "times");
    const fits = trace.leaves.map(({ parentId, startUs, durationUs }) => {
      const call = trace.calls.find(({ id }) => id === parentId);
      const end = durationUs === null ? Number.NaN : startUs + durationUs;
      return (
        call !== undefined &&
        startUs >= call.startUs &&
        end <= call.startUs + (call.durationUs ?? 0) &&
        end <= trace.durationUs
      );
    });
    probe.equal("whether each fits", fits, [true]);
  }),

  proves("LEAF-008", "times successive leaves, and a slow one", async (probe) => {
    const { trace } = await left(probe, "lasting", probe.token(), "&ms=60");
    const starts = trace.leaves.map(({ startUs }) => startUs);
    const ends = trace.leaves.map(({ startUs, durationUs }) => startUs + (durationUs ?? Number.NaN));
    const inOrder = starts.every((start, at) => start > 0 && (at === 0 || start >= (ends[at - 1] ?? Number.NaN)));
    const [last = Number.NaN] = ends.slice(-1);
    const seen = [
      inOrder,
      last <= trace.durationUs,
      isLasting(trace.leaves.at(-1)?.durationUs, 60_000, trace.durationUs),
    ];
    probe.equal("whether each begins behind the one before, and the last takes its time", seen, [true, true, true]);
  }),

  proves("LEAF-009", "separates the leaves of concurrent runs", async (probe) => {
    const marks = Array.from({ length: 8 }, () => probe.token());
    const runs = await Promise.all(marks.map((mark) => left(probe, "apart", mark)));
    const keys = runs.map(({ trace }) =>
      trace.leaves.flatMap((leaf) => (leaf.kind === "cache" ? [leaf.detail.key] : [])),
    );
    probe.equal(
      "the keys that each asked for",
      keys,
      marks.map((mark) => [`marks:${mark}`]),
    );
  }),
];

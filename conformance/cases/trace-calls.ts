/** Traces over HTTP: the calls of beans during a request. Spec: trace.md (TRACE). */
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import { traced, type Call, type Traced } from "../kit/traces.ts";

/** An order of tea that the mailer receives. Its path through the beans is drawn in spec/subject.md. */
function order(probe: Probe, about: string, item = "tea"): Promise<Traced> {
  return traced(probe, "POST", `/orders?about=${about}`, { json: { item, total: 150 } });
}

const callsOf = async (traced: Promise<Traced>): Promise<readonly Call[]> => (await traced).trace.calls;

/** The index of the call's parent in the list. */
const parentOf = (calls: readonly Call[], { parentId }: Call): Call | undefined =>
  calls.find(({ id }) => id === parentId);

/** The cases of this chapter that are not vectors. */
export const traceCalls = [
  proves("TRACE-018", "gives each call its caller as the parent, also for parallel calls", async (probe) => {
    const calls = await callsOf(traced(probe, "GET", "/parallel?about=parents"));
    const callers = calls.map((call) => {
      const name = call.bean === "Leaf" ? `Leaf of ${String(call.args[0])}` : call.bean;
      return `${name} ◀ ${parentOf(calls, call)?.bean ?? String(call.parentId)}`;
    });
    probe.equal("the callers", callers.toSorted(), [
      "Leaf of Left ◀ Left",
      "Leaf of Middle ◀ Middle",
      "Leaf of Right ◀ Right",
      "Left ◀ ParallelController",
      "Middle ◀ ParallelController",
      "ParallelController ◀ null",
      "Right ◀ ParallelController",
    ]);
  }),

  proves("TRACE-026", "times each call within its caller's", async (probe) => {
    const { trace } = await traced(probe, "GET", "/parallel?about=times");
    const whole = { startUs: 0, durationUs: trace.durationUs };
    const fits = trace.calls.map((call) => {
      const { startUs, durationUs } = parentOf(trace.calls, call) ?? whole;
      const end = startUs + (durationUs ?? 0);
      return call.startUs >= startUs && call.durationUs !== null && call.startUs + call.durationUs <= end;
    });
    probe.equal("whether each fits", fits, Array(7).fill(true));
  }),

  proves("TRACE-027", "separates the calls of concurrent requests", async (probe) => {
    const items = Array.from({ length: 8 }, () => probe.token());
    const found = await Promise.all(items.map((item) => callsOf(order(probe, "apart", item))));
    const asked = found.map((calls) => calls.filter(({ bean }) => bean === "Catalog").map(({ args }) => args[0]));
    probe.equal(
      "the items that each asked for",
      asked,
      items.map((item) => [item]),
    );
  }),
];

/** Replays over HTTP: a kept request runs again with recorded results. Spec: replay.md (REPLAY). */
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import { traced, type Traced } from "../kit/traces.ts";

/** An order that was placed, under its own path. */
const placed = (probe: Probe): Promise<Traced> =>
  traced(probe, "POST", "/orders?about=replay-nothing", { json: { item: "tea", total: 7 } });

/** The cases of this chapter that are not vectors. */
export const replay = [
  proves("REPLAY-020", "runs nothing for a client that the guard rejects", async (probe) => {
    const { trace } = await placed(probe);
    const named = `${trace.instance}.${trace.sequence};beans=OrderRepository`;
    const foreign = { "x-framework-replay": named, "x-forwarded-for": "192.0.2.1" };
    const json = { item: "tea", total: 7 };
    await probe.send("POST", "/orders?about=replay-nothing", { headers: foreign, json });
    const next = await placed(probe);
    probe.equal("the run that followed", next.trace.sequence, trace.sequence + 1);
  }),
];

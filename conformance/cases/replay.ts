/** Replays over HTTP: a kept request runs again with recorded results. Spec: replay.md (REPLAY). */
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import { traced, type Traced } from "../kit/traces.ts";

/** An order that was placed, under its own path. */
const placed = (probe: Probe): Promise<Traced> =>
  traced(probe, "POST", "/orders?about=replay-nothing", { json: { item: "tea", total: 7 } });

/** `profile=1`, or the reason why there is none here. */
async function profiled(probe: Probe): Promise<Traced | number> {
  const { trace } = await placed(probe);
  const headers = { "x-framework-replay": `${trace.instance}.${trace.sequence};beans=;profile=1` };
  const asked = { headers, json: { item: "tea", total: 7 } };
  const { status } = await probe.send("POST", "/orders?about=replay-nothing", asked);
  return status === 409 ? status : traced(probe, "POST", "/orders?about=replay-nothing", asked);
}

/** The cases of this chapter that are not vectors. */
export const replay = [
  proves(
    "REPLAY-027",
    "a profiled run has lines at its calls, and a runtime without a sampler a 409",
    async (probe) => {
      const found = await profiled(probe);
      if (typeof found === "number") return;
      const { profile, calls } = found.trace;
      probe.ok("the time of the run", Number(profile?.ownUs) >= 0 && Number(profile?.intervalUs) > 0);
      const known = [null, ...calls.map(({ id }) => id)];
      const sum = profile?.lines.reduce((all, { us }) => all + us, 0) ?? 0;
      probe.ok("the time of the run is at lines", profile?.ownUs === 0 || sum > 0);
      probe.ok("each line is at a call of the run", profile?.lines.every(({ call }) => known.includes(call)) === true);
    },
  ),
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

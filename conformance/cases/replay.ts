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
      const sum = (all: readonly { readonly us: number }[] = []): number => all.reduce((so, { us }) => so + us, 0);
      // Each sum is rounded for itself.
      const isRunTime = (all: readonly { readonly us: number }[] = []): boolean =>
        Math.abs(sum(all) - Number(profile?.ownUs)) <= all.length;
      probe.ok("the time of the run is at lines", isRunTime(profile?.lines));
      probe.ok("the time of the run is at stacks", isRunTime(profile?.stacks));
      const again = await profiled(probe);
      const next = typeof again === "number" ? undefined : again.trace.profile;
      probe.ok(
        "two runs have one interval",
        Number(profile?.intervalUs) > 0 && next?.intervalUs === profile?.intervalUs,
      );
      const isOther = JSON.stringify(next) !== JSON.stringify(profile);
      probe.ok("each run has a profile of its own", profile?.ownUs === 0 || isOther);
      probe.ok("allocations are at lines", profile?.allocations.every(({ line }) => line > 0) === true);
      const known = [null, ...calls.map(({ id }) => id)];
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

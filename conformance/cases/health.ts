/** Health, by HTTP: what `GET /health` says of the checks `db` and `disk`. Spec: health.md (HEALTH). */
import { HealthResult } from "../../spec/health.ts";
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";

async function healthWith(probe: Probe, db: "up" | "down" | "throw" | "reject" | "hang") {
  await probe.check("db", db);
  const answer = await probe.send("GET", "/health");
  return { status: answer.status, health: probe.json(HealthResult, answer) };
}

/** The cases of this chapter. */
export const health = [
  proves("HEALTH-001", "answers 200 and UP when every check is up", async (probe) => {
    const { status, health: body } = await healthWith(probe, "up");
    probe.equal("the status", status, 200);
    probe.equal("the body's status", body.status, "UP");
  }),
];

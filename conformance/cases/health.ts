/** Health cases that a vector cannot express. Spec: health.md (HEALTH). */
import { HealthResult } from "../../spec/health.ts";
import { proves } from "../kit/case.ts";

/** The cases of this chapter that are not vectors. */
export const health = [
  proves("HEALTH-031", "has the checks in the order of registration", async (probe) => {
    const { checks } = probe.json(HealthResult, await probe.send("GET", "/health"));
    probe.equal("the checks", Object.keys(checks), ["db", "disk"]);
  }),

  proves("HEALTH-022", "is the route of the requests that it handled", async (probe) => {
    const token = probe.token();
    await probe.send("GET", "/health", { headers: { "user-agent": token } });
    const { path, route } = await probe.logOf((line) => line.userAgent === token);
    probe.equal("path and route", [path, route], ["/health", "/health"]);
  }),
];

/** Health, by HTTP: what the health paths say of the checks `db` and `disk`. Spec: health.md (HEALTH). */
import { HealthResult } from "../../spec/health.ts";
import { proves } from "../kit/case.ts";
import type { HttpResponse } from "../kit/response.ts";
import type { Probe } from "../kit/probe.ts";

async function ask(probe: Probe, path = "/health") {
  const response = await probe.send("GET", path);
  const { status, checks } = probe.json(HealthResult, response);
  return { code: response.status, status, checks };
}

/** What a health path says while `db` does this. */
async function healthWith(probe: Probe, db: "up" | "down" | "throw" | "reject" | "hang", path = "/health") {
  await probe.check("disk", "up");
  await probe.check("db", db);
  try {
    return await ask(probe, path);
  } finally {
    await probe.check("db", "up");
  }
}

/** The responses of the three paths, and of the first once more while a check is down. */
async function ofAllHealth(probe: Probe): Promise<readonly HttpResponse[]> {
  const responses: HttpResponse[] = [];
  for (const path of ["/health", "/health/live", "/health/ready"]) responses.push(await probe.send("GET", path));
  await probe.check("db", "down");
  responses.push(await probe.send("GET", "/health"));
  await probe.check("db", "up");
  return responses;
}

/** The cases of this chapter. */
export const health = [
  proves("HEALTH-001", "responds with 200 and UP when every check is up", async (probe) => {
    const { code, status } = await healthWith(probe, "up");
    probe.equal("code and status", [code, status], [200, "UP"]);
  }),

  proves("HEALTH-002", "responds with 503 and DOWN when a check is down", async (probe) => {
    const { code, status } = await healthWith(probe, "down");
    probe.equal("code and status", [code, status], [503, "DOWN"]);
  }),

  proves("HEALTH-003", "has one entry for every check asked", async (probe) => {
    const { checks } = await ask(probe);
    probe.equal("the checks", Object.keys(checks).toSorted(), ["db", "disk"]);
  }),

  proves("HEALTH-031", "has the checks in the order of registration", async (probe) => {
    const { checks } = await ask(probe);
    probe.equal("the checks", Object.keys(checks), ["db", "disk"]);
  }),

  proves("HEALTH-004", "reports a check that throws or rejects as down", async (probe) => {
    const seen = [await healthWith(probe, "throw"), await healthWith(probe, "reject")];
    const checks = { db: "DOWN", disk: "UP" };
    probe.equal(
      "the checks",
      seen.map((one) => one.checks),
      [checks, checks],
    );
  }),

  proves("HEALTH-033", "still responds when a check throws or rejects", async (probe) => {
    const seen = [await healthWith(probe, "throw"), await healthWith(probe, "reject")];
    probe.equal(
      "the codes",
      seen.map(({ code }) => code),
      [503, 503],
    );
  }),

  proves("HEALTH-006", "reports a check that hangs as down", async (probe) => {
    const { checks } = await healthWith(probe, "hang");
    probe.equal("the checks", checks, { db: "DOWN", disk: "UP" });
  }),

  proves("HEALTH-007", "responds in time whatever the checks do", async (probe) => {
    const began = performance.now();
    const { code } = await healthWith(probe, "hang");
    const seconds = Math.floor((performance.now() - began) / 1_000);
    probe.equal("the code, and whether it came within two seconds", [code, seconds < 2], [503, true]);
  }),

  proves("HEALTH-014", "asks only the checks of the group on the liveness and the readiness path", async (probe) => {
    const seen = [await ask(probe, "/health/live"), await ask(probe, "/health/ready")];
    const checks = seen.map((result) => Object.keys(result.checks));
    probe.equal("the checks of liveness and readiness", checks, [["disk"], ["db"]]);
  }),

  proves("HEALTH-016", "holds nothing about a check but its name and UP or DOWN", async (probe) => {
    await probe.check("db", "throw");
    const response = await probe.send("GET", "/health");
    await probe.check("db", "up");
    const { status } = probe.json(HealthResult, response);
    probe.equal(
      "status and members",
      [status, Object.keys(JSON.parse(response.text) as object).toSorted()],
      ["DOWN", ["checks", "status"]],
    );
  }),

  proves("HEALTH-018", "responds to HEAD with the status and headers of GET and no body", async (probe) => {
    const [head, get] = [await probe.send("HEAD", "/health"), await probe.send("GET", "/health")];
    const { status } = probe.json(HealthResult, get);
    const seen = [head, get].map((response) => [response.status, response.type, response.set("cache-control")]);
    probe.equal("the health, and the heads of HEAD", [status, head.text, seen[0]], ["UP", "", seen[1]]);
    // RFC 9110, section 8.6: either may leave it out.
    const lengths = [head, get].flatMap((response) => response.header("content-length") ?? []);
    probe.ok("the lengths are the same", new Set(lengths).size <= 1, lengths);
  }),

  proves("HEALTH-019", "passes other methods and paths on to the app", async (probe) => {
    const { code } = await ask(probe);
    const others = [
      await probe.send("POST", "/health", { json: {} }),
      await probe.send("GET", "/healthy"),
      await probe.send("GET", "/health/other"),
    ];
    probe.equal("the codes of health and others", [code, ...others.map(({ status }) => status)], [200, 404, 404, 404]);
  }),

  proves("HEALTH-020", "is never stored", async (probe) => {
    const seen = (await ofAllHealth(probe)).map((one) => one.set("cache-control").includes("no-store"));
    probe.equal("whether it says so, the last one of what is down", seen, [true, true, true, true]);
  }),

  proves("HEALTH-032", "is JSON", async (probe) => {
    const seen = (await ofAllHealth(probe)).map(({ status, type }) => `${status} ${type}`);
    const up = "200 application/json";
    probe.equal("the types, the last one of what is down", seen, [up, up, up, "503 application/json"]);
  }),

  proves("HEALTH-022", "is the route of the requests it handled", async (probe) => {
    const token = probe.token();
    await probe.send("GET", "/health", { headers: { "user-agent": token } });
    const { path, route } = await probe.logOf((line) => line.userAgent === token);
    probe.equal("path and route", [path, route], ["/health", "/health"]);
  }),
];

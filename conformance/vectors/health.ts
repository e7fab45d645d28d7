/** Health as data: what the health paths say of the checks `db` and `disk`. Spec: health.md (HEALTH). */
import { holds, type HeaderExpectation, shows, step, type Step, type VectorRequest } from "./vector.ts";

const set = (mode: string): VectorRequest => ({
  method: "PUT",
  target: "/__subject/checks/db",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(mode),
});
const prepare = (mode: string): Step => ({ request: set(mode) });
const restored = { afterwards: [set("up")] };
const controlled = { ...restored, features: ["health-controls"] } as const;
const json = { mediaType: "application/json" };

/** A GET of each of the three paths, and of one while a check is down, whose response has these headers. */
const ofEachPath = (headers: Readonly<Record<string, HeaderExpectation>>): readonly Step[] => [
  ...["/health", "/health/live", "/health/ready"].map((target) => step("GET", target, { status: 200, headers })),
  prepare("down"),
  step("GET", "/health", { status: 503, headers }),
];

const broken = { body: holds({ checks: { db: "DOWN", disk: "UP" } }) };
const served = { status: 503, headers: { "content-type": json } };

/** The vectors of this chapter. */
export const health = [
  shows(
    "HEALTH-001",
    "200 and UP when every check is up",
    [prepare("up"), step("GET", "/health", { status: 200, body: holds({ status: "UP" }) })],
    restored,
  ),
  shows(
    "HEALTH-002",
    "503 and DOWN when a check is down",
    [prepare("down"), step("GET", "/health", { status: 503, body: holds({ status: "DOWN" }) })],
    restored,
  ),
  shows(
    "HEALTH-003",
    "one entry for every check asked",
    [step("GET", "/health", { body: holds({ checks: { db: "UP", disk: "UP" } }) })],
    restored,
  ),
  shows(
    "HEALTH-004",
    "a check that throws or rejects is DOWN",
    [prepare("throw"), step("GET", "/health", broken), prepare("reject"), step("GET", "/health", broken)],
    restored,
  ),
  shows(
    "HEALTH-033",
    "a check that throws or rejects does not fail the request",
    [prepare("throw"), step("GET", "/health", served), prepare("reject"), step("GET", "/health", served)],
    restored,
  ),
  shows(
    "HEALTH-006",
    "a check that hangs is DOWN",
    [prepare("hang"), step("GET", "/health", { body: holds({ checks: { db: "DOWN", disk: "UP" } }) })],
    restored,
  ),
  shows(
    "HEALTH-007",
    "the response comes in time whatever the checks do",
    [prepare("hang"), step("GET", "/health", { status: 503, within: 2 })],
    restored,
  ),
  shows("HEALTH-014", "liveness and readiness ask the checks of their group alone", [
    step("GET", "/health/live", { body: holds({ checks: { disk: "UP" } }) }),
    step("GET", "/health/ready", { body: holds({ checks: { db: "UP" } }) }),
  ]),
  shows(
    "HEALTH-016",
    "nothing beside the status and the checks",
    [
      prepare("throw"),
      step("GET", "/health", { body: { json: { status: "DOWN", checks: { db: "DOWN", disk: "UP" } } } }),
    ],
    restored,
  ),
  shows("HEALTH-018", "HEAD gets the status and headers of GET and no body", [
    step("GET", "/health", { status: 200, headers: { "content-type": json, "cache-control": { names: "no-store" } } }),
    step("HEAD", "/health", {
      status: 200,
      headers: { "content-type": json, "cache-control": { names: "no-store" }, "content-length": { sameAs: 1 } },
      body: { is: "" },
    }),
  ]),
  shows("HEALTH-019", "other methods and paths are passed on to the app", [
    step("GET", "/health", { status: 200 }),
    step("POST", "/health", { status: 404 }),
    step("GET", "/healthy", { status: 404 }),
    step("GET", "/health/other", { status: 404 }),
  ]),
  shows(
    "HEALTH-020",
    "a response that is never stored",
    ofEachPath({ "cache-control": { names: "no-store" } }),
    controlled,
  ),
  shows("HEALTH-032", "a response that is JSON", ofEachPath({ "content-type": json }), controlled),
];

/** Kept runs and what is made of them, as data. Spec: history.md (HISTORY). */
import { devtoolsHealthPath, devtoolsMetricsPath, historyPath, runsPath, searchPath } from "../kit/devtools.ts";
import { traced } from "./traces.ts";
import { holds, shows, step, type Step, type VectorRequest } from "./vector.ts";

const set = (name: string, mode: string): VectorRequest => ({
  method: "PUT",
  target: `/__subject/checks/${name}`,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(mode),
});
const prepare = (name: string, mode: string): Step => ({ request: set(name, mode) });
const route = "/metrics/routes/[route=~1users~1{id}]";

/** The vectors of this chapter. */
export const history = [
  shows("HISTORY-004", "one run is given by instance and sequence, and no other", [
    ...traced(
      "GET",
      "/users/h004-{{token}}",
      {},
      { saveTrace: { run: "", instance: "/instance", sequence: "/sequence" } },
    ),
    step("GET", `${runsPath}{{instance}}.{{sequence}}`, { status: 200, body: { json: "{{run}}" } }),
    step("GET", `${runsPath}{{instance}}.9999999`, {
      status: 404,
      headers: { "content-type": { mediaType: "application/problem+json" } },
      body: holds({ status: 404 }),
    }),
  ]),
  shows("HISTORY-018", "the metrics are those that the application's own collector holds", [
    step("POST", "/__subject/reset"),
    step("GET", "/users/{{token}}"),
    step(
      "GET",
      devtoolsMetricsPath,
      { status: 200, body: holds({ reason: null }) },
      {},
      {
        until: { body: { at: { [route]: { present: true } } } },
        save: { since: { at: "/metrics/since" }, routes: { at: "/metrics/routes" } },
      },
    ),
    step("GET", "/metrics", { body: holds({ since: "{{since}}", routes: "{{routes}}" }) }),
  ]),
  shows(
    "HISTORY-019",
    "the health is that of the application's own checks, in their order",
    [
      prepare("disk", "up"),
      prepare("db", "throw"),
      step("GET", "/health"),
      step("GET", devtoolsHealthPath, {
        status: 200,
        body: {
          at: {
            "/health/status": { is: "DOWN" },
            "/health/checks": { is: { db: "DOWN", disk: "UP" } },
            "/reason": { is: null },
            "/checks/*/name": { is: ["db", "disk"] },
            "/checks/*/status": { is: ["DOWN", "UP"] },
            "/checks/0/error": { matches: "^(?!db$)." },
            "/checks/1/error": { present: false },
          },
        },
      }),
      prepare("db", "up"),
      step("GET", "/health"),
      step("GET", devtoolsHealthPath, {
        body: {
          at: {
            "/health/status": { is: "UP" },
            "/health/checks": { is: { db: "UP", disk: "UP" } },
            "/checks/0/recent/0/status": { is: "UP" },
            "/checks/0/recent/1/status": { is: "DOWN" },
            "/checks/1/recent/0/status": { is: "UP" },
            "/checks/1/recent/1/status": { is: "UP" },
          },
        },
      }),
    ],
    { afterwards: [set("db", "up"), { method: "GET", target: "/health" }] },
  ),
  shows(
    "HISTORY-023",
    "a limit and a cursor that are none are rejected",
    ["limit=0", "limit=101", "limit=x", "cursor=x"].flatMap((query) =>
      [historyPath, searchPath].map((target) =>
        step("GET", `${target}?${query}`, {
          status: 400,
          body: { at: { "/status": { is: 400 }, "/detail": { has: query.replace(/=.*/, "") } } },
        }),
      ),
    ),
  ),
  shows(
    "HISTORY-023",
    "the least and the greatest limit are taken",
    ["limit=1", "limit=100"].flatMap((query) =>
      [historyPath, searchPath].map((target) =>
        step("GET", `${target}?${query}`, { status: 200, body: { at: { "/next": { present: true } } } }),
      ),
    ),
  ),
];

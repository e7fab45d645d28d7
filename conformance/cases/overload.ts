/** What is rejected while there is too much to do. Spec: overload.md (OVERLOAD). */
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";
import { traced } from "../kit/traces.ts";

/** Does something while one request, the only one that is allowed, is under way. Then that one must be served. */
async function whileFull<T>(probe: Probe, run: () => Promise<T>): Promise<T> {
  const path = `/crowded/${probe.token()}`;
  const slow = probe.begin("GET", `${path}?ms=600`);
  await probe.underWay();
  const result = await run();
  probe.equal("status of the request before", await slow.head(), 200);
  return result;
}

const rejected = (probe: Probe): Promise<HttpResponse> =>
  whileFull(probe, () => probe.send("GET", `/crowded/${probe.token()}`));

/** The cases of this chapter. */
export const overload = [
  proves("OVERLOAD-001", "rejects a request over the limit", async (probe) => {
    probe.equal("status", (await rejected(probe)).status, 503);
  }),

  proves("OVERLOAD-002", "says when to come back", async (probe) => {
    probe.ok("Retry-After", /^[1-9]\d*$/.test((await rejected(probe)).header("retry-after") ?? ""));
  }),

  proves("OVERLOAD-003", "has a code", async (probe) => {
    const { code } = JSON.parse((await rejected(probe)).text) as { readonly code?: unknown };
    probe.equal("code", code, "OVERLOADED");
  }),

  proves("OVERLOAD-004", "serves an exempt route", async (probe) => {
    const name = probe.token();
    const response = await whileFull(probe, () => probe.send("GET", `/crowded/${name}/urgent`));
    probe.equal("status and body", [response.status, JSON.parse(response.text)], [200, { id: name }]);
  }),

  proves("OVERLOAD-005", "serves the next request when the one before is over", async (probe) => {
    probe.equal("status over the limit", (await rejected(probe)).status, 503);
    const name = probe.token();
    const response = await probe.eventually("a request that is served", async () => {
      const found = await probe.send("GET", `/crowded/${name}`);
      return found.status === 200 ? found : undefined;
    });
    probe.equal("body", JSON.parse(response.text), { id: name });
  }),

  proves("OVERLOAD-006", "annotates the run with the limit and its value", async (probe) => {
    const over = await whileFull(probe, () => traced(probe, "GET", `/crowded/${probe.token()}`));
    const exempt = await whileFull(probe, () => traced(probe, "GET", `/crowded/${probe.token()}/urgent`));
    const annotations = [over, exempt].map(({ trace }) =>
      trace.annotations?.filter(({ name }) => name === "overload").map(({ value }) => value),
    );
    const exceeded = { by: "inFlight", limit: 1, value: 1 };
    probe.equal("annotations", annotations, [[{ ...exceeded, exempt: false }], [{ ...exceeded, exempt: true }]]);
  }),
];

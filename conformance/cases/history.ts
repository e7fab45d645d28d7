/** Kept runs and their aggregates, over HTTP. Spec: history.md (HISTORY). */
import { isDeepStrictEqual } from "node:util";
import { type Static } from "typebox";
import { BeanGraph } from "../../spec/graph.ts";
import { Aggregates, HealthView, HistoryPage, SessionList, StartUpView } from "../../spec/history.ts";
import { TraceList } from "../../spec/trace.ts";
import { proves } from "../kit/case.ts";
import {
  aggregatesPath,
  devtoolsHealthPath,
  graphPath,
  historyPath,
  requestsPath,
  sessionsPath,
  startupPath,
} from "../kit/devtools.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";
import { traced } from "../kit/traces.ts";

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * times.length) - 1)] ?? 0;

/** A subject may run on another machine with a slightly different clock. */
const hour = 3_600_000;

type BeanStart = NonNullable<Static<typeof StartUpView>["current"]>["beans"][number];

/** Was it made during the construction of the bean that requested it? */
function isWithin({ parent, startUs, durationUs }: BeanStart, beans: readonly BeanStart[]): boolean {
  const above = beans.find(({ bean }) => bean === parent);
  if (durationUs === null) return false;
  if (above === undefined) return true;
  // Each time is rounded separately.
  return startUs >= above.startUs && startUs + durationUs <= above.startUs + (above.durationUs ?? 0) + 1;
}

/** Does it begin before the previous sibling is complete? The subject's beans are made one by one. */
function overlaps({ bean, parent, startUs }: BeanStart, beans: readonly BeanStart[]): boolean {
  const siblings = beans.filter((one) => one.parent === parent);
  const before = siblings[siblings.findIndex((one) => one.bean === bean) - 1];
  return before !== undefined && startUs < before.startUs + (before.durationUs ?? Infinity) - 1;
}

/** Do its own time and the times of the beans that it requested add up to its duration? */
function addsUp({ bean, durationUs, selfUs }: BeanStart, beans: readonly BeanStart[]): boolean {
  const below = beans.filter(({ parent }) => parent === bean).map((one) => one.durationUs ?? NaN);
  const sum = below.reduce((all, one) => all + one, selfUs ?? NaN);
  return Math.abs(sum - (durationUs ?? NaN)) <= below.length + 1;
}

/** A response with 200. */
async function ok(probe: Probe, path: string): Promise<HttpResponse> {
  const response = await probe.send("GET", path);
  probe.equal("the status", response.status, 200);
  return response;
}

/** Every trace, as soon as there are `count`. */
async function held(probe: Probe, count: number) {
  return probe.eventually(`${count} traces`, async () => {
    const list = probe.json(TraceList, await probe.send("GET", requestsPath));
    return list.length === count ? list : undefined;
  });
}

/** The cases of this chapter that are not vectors. */
export const history = [
  proves("HISTORY-002", "lists this process first, with its runs", async (probe) => {
    await probe.reset();
    await traced(probe, "GET", `/users/${probe.token()}`);
    const { trace } = await traced(probe, "GET", `/users/${probe.token()}`);
    const response = await probe.send("GET", sessionsPath);
    const { sessions, file } = probe.json(SessionList, response);
    probe.equal("the file of a subject that keeps nothing on disk", file, null);
    const [first, ...others] = sessions;
    probe.equal(
      "status and type",
      [response.status, response.type, response.charset],
      [200, "application/json", "utf-8"],
    );
    probe.equal(
      "the first, how many runs it has, and who else says it is this process",
      [first?.instance, first?.current, first?.runs, others.filter(({ current }) => current).length],
      [trace.instance, true, 2, 0],
    );
    const age = trace.startedAt - (first?.startedAt ?? 0);
    probe.equal("whether it began before its run, and not long ago", [age >= 0, age < 86_400_000], [true, true]);
    probe.equal("how many runs were skipped", first?.skipped, 0);
    const times = others.map(({ startedAt }) => startedAt);
    probe.equal(
      "when the others began",
      times,
      times.toSorted((a, b) => b - a),
    );
  }),

  proves("HISTORY-003", "returns a page of the runs on disk, the newest first", async (probe) => {
    await traced(probe, "GET", `/users/${probe.token()}`);
    const response = await probe.send("GET", `${historyPath}?limit=2`);
    const { runs, next } = probe.json(HistoryPage, response);
    probe.equal(
      "the status, and whether there are more than asked for",
      [response.status, runs.length > 2],
      [200, false],
    );
    const behind = runs.at(-1);
    const expected = next === null ? null : `${behind?.instance ?? ""}.${behind?.sequence ?? ""}`;
    probe.equal("the cursor", next, expected);
  }),

  proves("HISTORY-014", "aggregates the kept runs by route and by bean", async (probe) => {
    await probe.reset();
    for (const target of ["/users/1", "/boom", "/users/2", "/users/3"]) await probe.send("GET", target);
    await probe.send("POST", "/orders", { json: { item: "tea", total: 200 } });
    const traces = await held(probe, 5);
    const { count, since, routes, beans } = probe.json(Aggregates, await ok(probe, aggregatesPath));
    const users = traces.filter(({ path }) => path.startsWith("/users/"));
    const times = users.map(({ durationUs }) => durationUs);
    probe.equal(
      "how many, and by which routes",
      [
        [count, since],
        routes.map(({ kind, method, route, count: n, errors, aborted }) => [kind, method, route, n, errors, aborted]),
      ],
      [
        [5, Math.min(...traces.map(({ startedAt }) => startedAt))],
        [
          ["request", "GET", "/boom", 1, 1, 0],
          ["request", "POST", "/orders", 1, 0, 0],
          ["request", "GET", "/users/{id}", 3, 0, 0],
        ],
      ],
    );
    const { p50Us, p95Us, maxUs, runs, slowest } = routes[2] ?? { runs: [] };
    probe.equal(
      "the times of a route",
      [p50Us, p95Us, maxUs],
      [percentile(times, 0.5), percentile(times, 0.95), Math.max(...times)],
    );
    const longest = users.filter(({ durationUs }) => durationUs === maxUs);
    const keys = (all: typeof users): string[] => all.map(({ instance, sequence }) => `${instance}.${sequence}`);
    probe.equal("the slowest run of a route", slowest, keys(longest)[0]);
    probe.equal("the runs of a route", runs, keys(users));
    const calls = traces.flatMap((one) => one.calls);
    const names = [...new Set(calls.map(({ bean }) => bean))].toSorted();
    const sums = names.map((bean) => {
      const own = calls.filter((call) => call.bean === bean).map(({ durationUs }) => durationUs ?? 0);
      const behind = traces.filter((one) => one.calls.some((call) => call.bean === bean));
      const figures = [percentile(own, 0.5), percentile(own, 0.95), Math.max(...own)];
      return [bean, own.length, 0, ...figures, behind.length, keys(behind)];
    });
    const given = beans.map((one) => {
      return [one.bean, one.calls, one.errors, one.p50Us, one.p95Us, one.maxUs, one.count, one.runs];
    });
    probe.equal("the beans", given, sums);
  }),

  proves(
    "HISTORY-015",
    "lists each bean in the order of its beginning, below the one that requested it",
    async (probe) => {
      const { current } = probe.json(StartUpView, await ok(probe, startupPath));
      const { nodes, edges } = probe.json(BeanGraph, await probe.send("GET", graphPath));
      const beans = current?.beans ?? [];
      probe.equal("the beans", beans.map(({ bean }) => bean).toSorted(), nodes.map(({ id }) => id).toSorted());
      const strange = beans.filter(
        ({ bean, parent }) => parent !== null && !edges.some((edge) => edge.from === parent && edge.to === bean),
      );
      const began = beans.map(({ startUs }) => startUs);
      const odd = beans.filter((one) => !isWithin(one, beans) || !addsUp(one, beans) || overlaps(one, beans));
      probe.equal("parents that depend on nothing, and beans whose times do not add up", [strange, odd], [[], []]);
      const whole = current?.durationUs ?? 0;
      probe.equal("when they began", [Number(began[0]) < whole, began], [true, began.toSorted((a, b) => a - b)]);
      const kinds = beans.map(({ bean, stereotype, error }) => [bean, stereotype, error]);
      probe.equal(
        "what they are for",
        kinds,
        beans.map(({ bean }) => [bean, nodes.find(({ id }) => id === bean)?.stereotype, null]),
      );
      const below = beans.filter(({ parent }) => parent !== null).map(({ bean }) => bean);
      probe.equal("a bean that another asked for", below.includes("OrderService"), true);
    },
  ),

  proves("HISTORY-024", "shows a successful start", async (probe) => {
    const { trace } = await traced(probe, "GET", `/users/${probe.token()}`);
    const { current, failed } = probe.json(StartUpView, await ok(probe, startupPath));
    const { instance, error, notBuilt, chain, droppedBeans, startedAt = 0, durationUs, beans = [] } = current ?? {};
    probe.equal(
      "the start",
      { instance, error, notBuilt, chain, droppedBeans, failed },
      { instance: trace.instance, error: null, notBuilt: [], chain: [], droppedBeans: 0, failed: null },
    );
    const ends = beans.map(({ startUs, durationUs: took }) => startUs + (took ?? Infinity));
    const age = trace.startedAt - startedAt;
    const behind = Number(durationUs) - Math.max(...ends);
    const seen = [age >= 0, age < 86_400_000, behind >= 0, behind < 5_000_000];
    probe.equal(
      "whether it began before its run, not long ago, and lasted until its last bean",
      seen,
      Array(4).fill(true),
    );
  }),

  proves("HISTORY-025", "has the time and the duration of each result, the latest first", async (probe) => {
    await probe.check("db", "up");
    const began = performance.now();
    const views = [];
    for (let round = 0; round < 2; round += 1) {
      // One check after the other, the second a slow one, so their figures cannot be confused.
      await probe.send("GET", "/health/live");
      await probe.check("db", "hang");
      const ready = probe.send("GET", "/health/ready");
      ready.catch(() => undefined);
      await probe.send("GET", "/slow/60");
      await probe.check("db", "up");
      await ready;
      views.push(probe.json(HealthView, await ok(probe, devtoolsHealthPath)).checks);
    }
    const elapsedUs = (performance.now() - began) * 1_000;
    const [first = [], second = []] = views;
    const seen = second.map(({ name, status, durationUs, checkedAt, recent }) => {
      const [latest, before] = recent;
      const own = [status, durationUs, checkedAt];
      const earlier = first.find((view) => view.name === name);
      const ago = checkedAt - (before?.checkedAt ?? 0);
      const isInTime = durationUs <= elapsedUs && ago >= 50 && ago < 60_000 && Math.abs(Date.now() - checkedAt) < hour;
      const isKept = isDeepStrictEqual(recent.slice(1, 20), earlier?.recent.slice(0, 19));
      return [isDeepStrictEqual([latest?.status, latest?.durationUs, latest?.checkedAt], own), isKept, isInTime];
    });
    probe.equal("whether the latest is its own, the one before as it was, and both came in time", seen, [
      [true, true, true],
      [true, true, true],
    ]);
  }),

  proves("HISTORY-034", "has the last 20 results that were read", async (probe) => {
    const expected = [];
    let recent: readonly string[] = [];
    try {
      for (let round = 0; round < 24; round += 1) {
        const isUp = round % 3 !== 0;
        expected.unshift(isUp ? "UP" : "DOWN");
        await probe.check("db", isUp ? "up" : "throw");
        await probe.send("GET", "/health");
        const { checks } = probe.json(HealthView, await ok(probe, devtoolsHealthPath));
        recent = checks.find(({ name }) => name === "db")?.recent.map(({ status }) => status) ?? [];
      }
    } finally {
      await probe.check("db", "up");
    }
    probe.equal("what became of the check, the latest first", recent, expected.slice(0, 20));
  }),
];

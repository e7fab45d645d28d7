/** Searching the kept runs, by HTTP. Spec: search.md (SEARCH). */
import type { Static } from "typebox";
import { SearchPage, SearchProblem } from "../../spec/search.ts";
import { proves } from "../kit/case.ts";
import { searchPath } from "../kit/devtools.ts";
import type { Probe } from "../kit/probe.ts";
import { traced } from "../kit/traces.ts";

type Hit = Static<typeof SearchPage>["hits"][number];

async function pageOf(probe: Probe, query: string, paging = ""): Promise<Static<typeof SearchPage>> {
  const response = await probe.send("GET", `${searchPath}?q=${encodeURIComponent(query)}${paging}`);
  probe.equal("the status", response.status, 200);
  return probe.json(SearchPage, response);
}

type Told = Omit<Hit, "calls" | "leaves" | "parts">;

/** What a hit and a trace both say of a run. */
const toldOf = ({ instance, sequence, kind, method, path, route, status, startedAt, durationUs }: Told): Told => {
  return { instance, sequence, kind, method, path, route, status, startedAt, durationUs };
};

const hitsOf = async (probe: Probe, query: string): Promise<readonly Hit[]> => (await pageOf(probe, query)).hits;

/** The ends of the paths that are found. */
async function found(probe: Probe, query: string): Promise<readonly string[]> {
  return (await hitsOf(probe, query)).map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
}

/** How many runs each query finds. */
async function counts(probe: Probe, queries: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const rows: [string, number][] = [];
  for (const query of queries) rows.push([query, (await hitsOf(probe, query)).length]);
  return Object.fromEntries(rows);
}

/** Users `<mark>-1` to `<mark>-n` that were asked for, one after the other. */
async function users(probe: Probe, id: string, n: number): Promise<string> {
  const mark = `s${id}-${probe.token()}`;
  for (let at = 1; at <= n; at += 1) await traced(probe, "GET", `/users/${mark}-${at}`);
  return mark;
}

const order = (probe: Probe, item: string, total = 7) => traced(probe, "POST", "/orders", { json: { item, total } });

/** The cases of this chapter. */
export const search = [
  proves("SEARCH-001", "finds the runs for which every term holds, the newest first", async (probe) => {
    const mark = await users(probe, "001", 3);
    const all = await found(probe, `path:${mark} status:200`);
    probe.equal("the runs", all, [`${mark}-3`, `${mark}-2`, `${mark}-1`]);
    probe.equal("the runs of which one term does not hold", await found(probe, `path:${mark} status:404`), []);
  }),

  proves("SEARCH-002", "names calls and parts in which it was found", async (probe) => {
    const mark = `s002-${probe.token()}`;
    const { trace } = await order(probe, mark);
    const [hit] = await hitsOf(probe, `body.item:${mark} bean:Pricing method:quote`);
    const pricing = trace.calls.filter(({ bean }) => bean === "Pricing").map(({ id }) => id);
    probe.equal("the run", hit && [hit.instance, hit.sequence, hit.status], [trace.instance, trace.sequence, 201]);
    probe.equal("calls, leaves and parts", hit && [hit.calls, hit.leaves, hit.parts], [pricing, [], ["body"]]);
  }),

  proves(
    "SEARCH-003",
    "holds terms about calls against one call, and against another behind a further bean",
    async (probe) => {
      const mark = `s003-${probe.token()}`;
      await order(probe, mark);
      const body = `body.item:${mark}`;
      const queries = [
        `${body} bean:Catalog method:find`,
        `${body} bean:Catalog method:save`,
        `${body} bean:Catalog bean:OrderRepository method:save`,
      ];
      probe.equal("how many are found", Object.values(await counts(probe, queries)), [1, 0, 1]);
    },
  ),

  proves("SEARCH-020", "tells of a run what its trace says", async (probe) => {
    const mark = `s020-${probe.token()}`;
    const traces = [];
    for (const target of [`/users/${mark}`, "/fail/418", "/nowhere", "/slow/30"])
      traces.unshift((await traced(probe, "GET", `${target}?about=${mark}`)).trace);
    traces.unshift((await traced(probe, "POST", `/users/${mark}?about=${mark}`)).trace);
    const hits = await hitsOf(probe, `query.about:${mark}`);
    const told = traces.map((trace) => toldOf({ ...trace, kind: "request" }));
    probe.equal("the runs", hits.map(toldOf), told);
  }),

  proves("SEARCH-021", "says how many runs it looked at, and how long that took", async (probe) => {
    await probe.reset();
    const mark = await users(probe, "021", 3);
    const began = performance.now();
    const { searched, tookUs } = await pageOf(probe, `path:${mark}-1`);
    const elapsedUs = (performance.now() - began) * 1_000;
    probe.equal("how many, and whether it took that long", [searched, tookUs > 0 && tookUs <= elapsedUs], [3, true]);
  }),

  proves("SEARCH-004", "leaves out runs in which a term behind a minus holds", async (probe) => {
    const mark = await users(probe, "004", 3);
    probe.equal("the runs", await found(probe, `path:${mark} -path:${mark}-2`), [`${mark}-3`, `${mark}-1`]);
  }),

  proves("SEARCH-005", "finds words in quotes in their order alone", async (probe) => {
    const mark = `s005-${probe.token()}`;
    await order(probe, `${mark} Red Lamp`);
    const queries = [`"${mark} red lamp"`, `"lamp ${mark}"`, `lamp ${mark}`];
    probe.equal("how many are found", Object.values(await counts(probe, queries)), [1, 0, 1]);
  }),

  proves("SEARCH-006", "takes a status as a number, a class, several and a comparison", async (probe) => {
    const mark = `s006-${probe.token()}`;
    for (const status of [418, 503]) await traced(probe, "GET", `/fail/${status}?about=${mark}`);
    const about = `query.about:${mark}`;
    const queries = ["status:503", "status:4xx", "status:418,503", "status>=500", "status:2xx"].map(
      (one) => `${about} ${one}`,
    );
    probe.equal("how many are found", Object.values(await counts(probe, queries)), [1, 1, 2, 1, 0]);
  }),

  proves("SEARCH-008", "holds the value behind keys against a term, as text and as number", async (probe) => {
    const mark = `s008-${probe.token()}`;
    await order(probe, mark, 70);
    const queries = [
      `arg.item=${mark} arg.total>9`,
      `body.item:${mark} body.total<9`,
      `body.total=${mark}`,
      `body.item=${mark.slice(0, -1)}`,
    ];
    probe.equal("how many are found", Object.values(await counts(probe, queries)), [1, 0, 0, 0]);
  }),

  proves("SEARCH-009", "finds a route with its method and without", async (probe) => {
    const mark = await users(probe, "009", 1);
    const routes = ['"GET /users/{id}"', "=/users/{id}", '"POST /users/{id}"'];
    const queries = routes.map((route) => `path:${mark} route${route.startsWith("=") ? "" : ":"}${route}`);
    probe.equal("how many are found", Object.values(await counts(probe, queries)), [1, 1, 0]);
  }),

  proves("SEARCH-010", "finds an error by its name and its message", async (probe) => {
    const mark = `s010-${probe.token()}`;
    const { trace } = await traced(probe, "GET", `/boom?about=${mark}`);
    const about = `query.about:${mark}`;
    const queries = [
      `${about} error=${trace.error?.name ?? "?"}`,
      `${about} error:"secret of the server"`,
      `${about} error:nothing`,
    ];
    probe.equal("how many are found", Object.values(await counts(probe, queries)), [1, 1, 0]);
  }),

  proves("SEARCH-011", "says where a query cannot be understood, and what was meant", async (probe) => {
    const response = await probe.send("GET", `${searchPath}?q=${encodeURIComponent("path:x beam:y status:5xx")}`);
    const { issues } = probe.json(SearchProblem, response);
    const places = issues.map(({ at, length, suggestion }) => [at, length, suggestion]);
    const type = response.type;
    probe.equal("status and type", [response.status, type], [400, "application/problem+json"]);
    probe.equal("whether it says what is wrong", issues[0]?.message.includes("beam"), true);
    probe.equal("place and suggestion", places, [[7, 4, "path:x bean:y status:5xx"]]);
  }),

  proves("SEARCH-013", "finds a word anywhere, in calls too", async (probe) => {
    const mark = `s013-${probe.token()}`;
    const { trace } = await order(probe, mark);
    const [hit] = await hitsOf(probe, mark);
    probe.equal("the run, and whether a call is named", hit && [hit.sequence, hit.calls.length > 0], [
      trace.sequence,
      true,
    ]);
  }),

  proves("SEARCH-017", "gives as many hits as asked for, and the rest by the cursor", async (probe) => {
    const mark = await users(probe, "017", 3);
    const first = await pageOf(probe, `path:${mark}`, "&limit=2");
    const rest = await pageOf(probe, `path:${mark}`, `&limit=2&cursor=${first.next ?? "none.1"}`);
    const paths = [first, rest].map(({ hits }) => hits.map(({ path }) => path.slice(-1)));
    probe.equal("the pages, and the end", [paths, rest.next], [[["3", "2"], ["1"]], null]);
  }),
];

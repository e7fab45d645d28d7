/** Searching the kept runs, as data. Spec: search.md (SEARCH). */
import { searchPath } from "../kit/devtools.ts";
import { traced, type TracedOptions } from "./traces.ts";
import { jsonBody, shows, step, type Step, type StepOptions, type ValueExpectation } from "./vector.ts";

type Values = Readonly<Record<string, ValueExpectation>>;

/** A query in a target, its marks left as they are. */
const target = (query: string): string =>
  `${searchPath}?q=${encodeURIComponent(query).replaceAll("%7B%7B", "{{").replaceAll("%7D%7D", "}}")}`;

/** What is true of the page that a query finds. */
const search = (query: string, at: Values, paging = "", options?: StepOptions): Step =>
  step("GET", `${target(query)}${paging}`, { status: 200, body: { at: { ...at } } }, {}, options);

/** So many runs are found. */
const finds = (query: string, count: number): Step =>
  search(query, {
    "/hits": { present: true },
    [`/hits/${count}`]: { present: false },
    ...(count > 0 && { [`/hits/${count - 1}`]: { present: true } }),
  });

/** Each query finds so many runs. */
const counts = (queries: Readonly<Record<string, number>>): readonly Step[] =>
  Object.entries(queries).map(([query, count]) => finds(query, count));

/** Users `<word>-1` to `<word>-n` that were asked for, one after the other. */
const users = (n: number): readonly Step[] =>
  Array.from({ length: n }, (_, at) => traced("GET", `/users/{{token}}-${at + 1}`, {}, { mark: `${at}` })).flat();

const paths = (...ends: readonly number[]): Values => ({
  "/hits/*/path": { is: ends.map((end) => `/users/{{token}}-${end}`) },
});

const order = (item = "{{token}}", total = 7, options: TracedOptions = {}): readonly Step[] =>
  traced("POST", "/orders", {}, { content: jsonBody({ item, total }), ...options });

const about = "query.about:{{token}}";
const runs: readonly (readonly [mark: string, method: string, path: string, route: string | null, status: number])[] = [
  ["a", "GET", "/users/{{token}}", "/users/{id}", 200],
  ["b", "GET", "/fail/418", "/fail/{status}", 418],
  ["c", "GET", "/nowhere", null, 404],
  ["d", "GET", "/slow/30", "/slow/{ms}", 200],
  ["e", "POST", "/users/{{token}}", null, 405],
];
const own = ["instance", "sequence", "startedAt", "durationUs", "route"];

/** The vectors of this chapter. */
export const searching = [
  shows("SEARCH-001", "the runs for which every term holds are found, the newest first", [
    ...users(3),
    search("path:{{token}} status:200", paths(3, 2, 1)),
    finds("path:{{token}} status:404", 0),
  ]),
  shows("SEARCH-002", "a hit names the calls and parts in which it was found", [
    ...order("{{token}}", 7, {
      saveTrace: { instance: "/instance", sequence: "/sequence", call: "/calls/[bean=Pricing]/id" },
    }),
    search("body.item:{{token}} bean:Pricing method:quote", {
      "/hits/0/instance": { is: "{{instance}}" },
      "/hits/0/sequence": { is: "{{sequence}}" },
      "/hits/0/status": { is: 201 },
      "/hits/0/calls": { is: ["{{call}}"] },
      "/hits/0/leaves": { is: [] },
      "/hits/0/parts": { is: ["body"] },
    }),
  ]),
  shows("SEARCH-003", "terms about calls are held against one call, and against another behind a further bean", [
    ...order(),
    ...counts({
      "body.item:{{token}} bean:Catalog method:find": 1,
      "body.item:{{token}} bean:Catalog method:save": 0,
      "body.item:{{token}} bean:Catalog bean:OrderRepository method:save": 1,
    }),
  ]),
  shows("SEARCH-020", "a hit says of a run what its trace does", [
    ...runs.flatMap(([mark, method, path]) =>
      traced(
        method,
        `${path}?about={{token}}`,
        {},
        { mark, saveTrace: Object.fromEntries(own.map((name) => [`${mark}${name}`, `/${name}`])) },
      ),
    ),
    search(about, {
      [`/hits/${runs.length}`]: { present: false },
      ...Object.fromEntries(
        runs
          .toReversed()
          .flatMap(([mark, method, path, , status], at) => [
            ...Object.entries({ kind: "request", method, path, status }).map(([name, is]) => [
              `/hits/${at}/${name}`,
              { is },
            ]),
            ...own.map((name) => [`/hits/${at}/${name}`, { is: `{{${mark}${name}}}` }]),
          ]) as [string, ValueExpectation][],
      ),
    }),
  ]),
  shows("SEARCH-021", "the page says how many runs it looked at, and how long that took", [
    step("POST", "/__subject/reset"),
    ...users(3),
    search("path:{{token}}-1", { "/searched": { is: 3 }, "/tookUs": { from: 1, to: 5_000_000 } }),
  ]),
  shows("SEARCH-004", "runs in which a term behind a minus holds are left out", [
    ...users(3),
    search("path:{{token}} -path:{{token}}-2", paths(3, 1)),
  ]),
  shows("SEARCH-005", "words in quotes are found in their order alone", [
    ...order("{{token}} Red Lamp"),
    ...counts({ '"{{token}} red lamp"': 1, '"lamp {{token}}"': 0, "lamp {{token}}": 1 }),
  ]),
  shows("SEARCH-006", "a status is a number, a class, several and a comparison", [
    ...[418, 503].flatMap((status) => traced("GET", `/fail/${status}?about={{token}}`, {}, { mark: `${status}` })),
    ...counts({
      [`${about} status:503`]: 1,
      [`${about} status:4xx`]: 1,
      [`${about} status:418,503`]: 2,
      [`${about} status>=500`]: 1,
      [`${about} status:2xx`]: 0,
    }),
  ]),
  shows("SEARCH-008", "the value behind keys is held against a term, as text and as number", [
    ...order("{{token}}", 70),
    ...counts({
      "arg.item={{token}} arg.total>9": 1,
      "body.item:{{token}} body.total<9": 0,
      "body.total={{token}}": 0,
      "body.item={{token}}x": 0,
    }),
  ]),
  shows("SEARCH-009", "a route is found with its method and without", [
    ...users(1),
    ...counts({
      'path:{{token}} route:"GET /users/{id}"': 1,
      "path:{{token}} route=/users/{id}": 1,
      'path:{{token}} route:"POST /users/{id}"': 0,
    }),
  ]),
  shows("SEARCH-010", "an error is found by its name and its message", [
    ...traced("GET", "/boom?about={{token}}", {}, { saveTrace: { error: "/error/name" } }),
    ...counts({
      [`${about} error={{error}}`]: 1,
      [`${about} error:"secret of the server"`]: 1,
      [`${about} error:nothing`]: 0,
    }),
  ]),
  shows("SEARCH-011", "a query that cannot be understood gets its place, and what was meant", [
    step("GET", target("path:x beam:y status:5xx"), {
      status: 400,
      headers: { "content-type": { mediaType: "application/problem+json" } },
      body: {
        at: {
          "/issues/0/message": { has: "beam" },
          "/issues/*/at": { is: [7] },
          "/issues/*/length": { is: [4] },
          "/issues/*/suggestion": { is: ["path:x bean:y status:5xx"] },
        },
      },
    }),
  ]),
  shows("SEARCH-013", "a word is found anywhere, in calls too", [
    ...order("{{token}}", 7, { saveTrace: { sequence: "/sequence" } }),
    search("{{token}}", { "/hits/0/sequence": { is: "{{sequence}}" }, "/hits/0/calls/0": { present: true } }),
  ]),
  shows("SEARCH-017", "as many hits come as were asked for, and the rest by the cursor", [
    ...users(3),
    search("path:{{token}}", paths(3, 2), "&limit=2", { save: { next: { at: "/next" } } }),
    search("path:{{token}}", { ...paths(1), "/next": { is: null } }, "&limit=2&cursor={{next}}"),
  ]),
];

/** Traces as data: which request a trace is of, what it holds, and what it hides. Spec: trace.md (TRACE). */
import { requestsPath } from "../kit/devtools.ts";
import { escaped, traced, type TracedOptions } from "./traces.ts";
import { jsonBody, shows, step, type Step, type ValueExpectation } from "./vector.ts";

type Values = Readonly<Record<string, ValueExpectation>>;

const hidden = "[redacted]";
const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
const token = `ghp_${"aB3".repeat(12)}`;

const get = (target: string, at: Values, options: TracedOptions = {}): readonly Step[] =>
  traced("GET", target, at, options);

/** The same of several requests, each with a mark of its own. */
const each = <T>(items: readonly T[], steps: (item: T, mark: string) => readonly Step[]): readonly Step[] =>
  items.flatMap((item, at) => steps(item, String(at)));

/** Waits for the trace of a path of which this is true. */
const ofPath = (path: string, at: Values, save: Readonly<Record<string, string>> = {}): Step => {
  const trace = `/[path=${escaped(path)}]`;
  return step(
    "GET",
    requestsPath,
    { body: { at: Object.fromEntries(Object.entries(at).map(([name, value]) => [`${trace}${name}`, value])) } },
    {},
    {
      until: { body: { at: { [trace]: { present: true } } } },
      save: Object.fromEntries(Object.entries(save).map(([name, pointer]) => [name, { at: `${trace}${pointer}` }])),
    },
  );
};

/** A request that names these for its correlation, and what became of it. */
const correlated = (lines: string | string[], is: string | null, mark: string): readonly Step[] => {
  const path = `/users/{{token}}-${mark}`;
  return [
    step("GET", `${path}?about=correlation`, undefined, { headers: { "x-framework-dev": lines } }),
    ofPath(path, { "/correlationId": { is } }),
  ];
};

/** An order that goes through every bean. */
const order = (about: string, at: Values, options: TracedOptions = {}): readonly Step[] =>
  traced("POST", `/orders?about=${about}`, at, { content: jsonBody({ item: "tea", total: 150 }), ...options });
const thrown = jsonBody({ item: "tea", total: "much" });

/** A body that comes back, and how it is shown, of the request as of the response. */
const shown = (about: string, json: unknown, at: Values, options: TracedOptions = {}): readonly Step[] =>
  traced(
    "POST",
    `/echo?about=${about}`,
    Object.fromEntries(
      Object.entries(at).flatMap(([pointer, value]) =>
        ["/request/body", "/response/body"].map((part) => [`${part}${pointer}`, value]),
      ),
    ),
    { content: jsonBody(json), ...options },
  );

const orderCalls = ["OrderController", "OrderService", "Catalog", "Pricing", "OrderRepository", "Mailer"];
const parallelCalls = ["ParallelController", "Left", "Middle", "Right", "Leaf"];
const stereotypeOf = (name: string): string =>
  ["Controller", "Service", "Repository"].find((ending) => name.endsWith(ending))?.toLowerCase() ?? "bean";

/** What is true of the first call of each of these beans. */
const calls = (beans: readonly string[], member: string, expected: (bean: string) => unknown): Values =>
  Object.fromEntries(beans.map((bean) => [`/calls/[bean=${bean}]/${member}`, { is: expected(bean) }]));
const ofAll = (member: string, expected: (bean: string) => unknown): readonly Step[] => [
  ...order("fields", { "/calls/6": { present: false }, ...calls(orderCalls, member, expected) }),
  ...get(
    "/parallel?about=fields",
    { "/calls/7": { present: false }, ...calls(parallelCalls, member, expected) },
    { mark: "b" },
  ),
];

/** How each of these texts is shown. */
const assigned: Readonly<Record<string, readonly [text: string, shown: string]>> = {
  basic: ["sent Basic YWRhOnNlY3JldDE= to it", `sent ${hidden} to it`],
  query: ["GET /a?access_token=secret2&b=1", `GET /a?access_token=${hidden}&b=1`],
  message: ["password=secret3 was wrong", `password=${hidden} was wrong`],
  connection: ["Server=db;Pwd=secret4;Encrypt=true", `Server=db;Pwd=${hidden};Encrypt=true`],
  json: ['{"clientSecret":"secret5","n":1}', `{"clientSecret":"${hidden}","n":1}`],
  command: ["login --password secret6 --port 1", `login --password ${hidden} --port 1`],
  markup: ["<user><pin>secret7</pin></user>", `<user><pin>${hidden}</pin></user>`],
  yaml: ["tokens:\n  - secret8\nport: 1", `tokens:\n  - ${hidden}\nport: 1`],
};
const texts: Readonly<Record<string, readonly [text: string, leak: string]>> = {
  bearer: ["sent Bearer abcdefghijkl to it", "abcdefghijkl"],
  jwt: [`it was ${jwt} then`, jwt],
  pem: ["-----BEGIN PRIVATE KEY-----\nMIIEpQkeyAAAA\n-----END PRIVATE KEY-----", "MIIEpQkeyAAAA"],
  url: ["https://ada:pw@example.test/x", "ada:pw"],
  token: [`with ${token} in it`, token],
};
const open = { passenger: "Ada", nextPageToken: "n2", tokenCount: 3, secretary: "Bob", cookieBanner: "yes" };

/** The vectors of this chapter. */
export const trace = [
  shows(
    "TRACE-002",
    "a trace has the id that the request has",
    each(["/users/7?about=id", "/users/8?about=id"], (target, mark) =>
      get(target, { "/id": { is: "{{id}}" } }, { mark, save: { id: { header: "x-request-id" } } }),
    ),
  ),
  shows(
    "TRACE-003",
    "where requests have no id a trace has the correlation id",
    get("/users/7?about=id", { "/id": { is: "{{token}}-a" } }),
    { profile: "no-request-id" },
  ),
  shows(
    "TRACE-004",
    "where the request names no valid id a trace has an id of its own",
    [
      ...["one", "two"].map((name) =>
        step("GET", `/users/{{token}}-${name}?about=own-id`, undefined, {
          headers: { "x-framework-dev": "two words" },
        }),
      ),
      ofPath("/users/{{token}}-one", { "/id": { not: "two words" } }, { id: "/id" }),
      ofPath("/users/{{token}}-two", { "/id": { not: "{{id}}" } }),
      ofPath("/users/{{token}}-two", { "/id": { not: "two words" } }),
    ],
    { profile: "no-request-id" },
  ),
  shows("TRACE-005", "a trace has the correlation id that is valid and alone", [
    ...correlated("{{token}}-A.z_9", "{{token}}-A.z_9", "short"),
    ...correlated("{{x*128}}", "{{x*128}}", "long"),
    ...each(["{{x*129}}", "a b", "a,b", "a:b", "é", ["{{token}}", "{{token}}"]], (lines, mark) =>
      correlated(lines, null, mark),
    ),
  ]),
  shows(
    "TRACE-007",
    "a trace names the pattern of the route, and none where none matched",
    each(
      Object.entries({
        "/users/7/posts/8": "/users/{id}/posts/{postId}",
        "/files/a/b": "/files/*path",
        "/api/search": "/api/search",
        "/nowhere": null,
      }),
      ([path, is], mark) => get(`${path}?about=route`, { "/route": { is } }, { mark }),
    ),
  ),
  shows(
    "TRACE-008",
    "a trace has the path as it was sent, without the query",
    get("/files/a%2Fb%20c;v=1?about=path&x=%20", { "/path": { is: "/files/a%2Fb%20c;v=1" } }),
  ),
  shows(
    "TRACE-009",
    "a trace has the status that went over the wire",
    each(
      [
        ["GET", "/users/7", 200] as const,
        ["POST", "/users/7", 405] as const,
        ["GET", "/nowhere", 404] as const,
        ["GET", "/boom", 500] as const,
        ["GET", "/fail/503", 503] as const,
      ],
      ([method, path, status], mark) =>
        traced(method, `${path}?about=status`, { "/status": { is: status } }, { mark, expect: { status } }),
    ),
  ),
  shows(
    "TRACE-011",
    "a trace has what was thrown, and nothing for the router's own responses",
    each(
      [
        ["GET", "/boom", "a secret of the server"] as const,
        ["GET", "/fail/418", "failed with 418 as asked"] as const,
        ["GET", "/users/7", null] as const,
        ["GET", "/nowhere", null] as const,
        ["POST", "/users/7", null] as const,
      ],
      ([method, path, is], mark) =>
        traced(method, `${path}?about=error`, { [is === null ? "/error" : "/error/message"]: { is } }, { mark }),
    ),
  ),
  shows(
    "TRACE-091",
    "the cookies of the request are named",
    get(
      "/users/7?about=cookies",
      { "/request/cookies": { is: ["theme", "size"] } },
      { content: { headers: { cookie: "theme=dark-value; size=9-value" } } },
    ),
  ),
  shows(
    "TRACE-125",
    "there are no cookies where there are none",
    get("/users/7?about=no-cookies", {
      "/request/pathParams": { is: { id: "7" } },
      "/request/cookies": { present: false },
      "/response/bytes": { present: true },
      "/response/cookies": { present: false },
    }),
  ),
  shows(
    "TRACE-013",
    "there is no body of the request where the application read none",
    traced("POST", "/users/7?about=unread", { "/request/body": { is: null } }, { content: jsonBody({ unread: true }) }),
  ),
  shows("TRACE-014", "a JSON response is shown as its value and a text as itself", [
    ...get("/users/%C3%A9?about=response", { "/response/body": { is: { id: "é" } } }),
    ...get("/big/5?about=response", { "/response/body": { is: "xxxxx" } }, { mark: "b" }),
  ]),
  shows(
    "TRACE-046",
    "a text that is sent in pieces is shown as itself",
    get("/events/3?about=pieces", { "/response/body": { is: "{{sent}}" } }, { save: { sent: { body: "^" } } }),
  ),
  shows("TRACE-016", "there is no body of the response for HEAD and where there is none", [
    ...traced("HEAD", "/users/7?about=empty", { "/response/body": { is: null } }),
    ...get("/big/0?about=empty", { "/response/body": { is: null } }, { mark: "b" }),
  ]),
  shows(
    "TRACE-017",
    "each call is listed in the order in which it was entered",
    order("entries", {
      "/calls/*/id": { is: [0, 1, 2, 3, 4, 5] },
      "/calls/*/bean": { is: orderCalls },
      "/calls/*/method": { is: ["create", "place", "find", "quote", "save", "send"] },
    }),
  ),
  shows(
    "TRACE-019",
    "the depth is counted from 0",
    get("/parallel?about=depth", {
      "/calls/*/depth": { members: [0, 1, 1, 1, 2, 2, 2] },
      ...calls(parallelCalls, "depth", (bean) => ({ ParallelController: 0, Leaf: 2 })[bean] ?? 1),
    }),
  ),
  shows(
    "TRACE-020",
    "each call has its arguments",
    order(
      "arguments",
      {
        ...calls(orderCalls.slice(1), "args", (bean) => [
          { Catalog: "tea", Pricing: 150, Mailer: "{{id}}" }[bean] ?? { item: "tea", total: 150 },
        ]),
      },
      { save: { id: { at: "/id" } } },
    ),
  ),
  shows(
    "TRACE-021",
    "each call has what it returned, settled",
    order(
      "results",
      calls(orderCalls.slice(1, 5), "result", (bean) => ({ Catalog: { item: "tea" }, Pricing: 150 })[bean] ?? "{{id}}"),
      { save: { id: { at: "/id" } } },
    ),
  ),
  shows("TRACE-022", "a call that threw has its error, and no result", [
    ...traced(
      "POST",
      "/orders?about=thrown",
      {},
      { content: thrown, saveTrace: { name: "/error/name", message: "/error/message" } },
    ),
    ...traced(
      "POST",
      "/orders?about=thrown",
      {
        "/calls/*/bean": { is: ["OrderController"] },
        "/calls/0/result": { is: null },
        "/calls/0/error/name": { is: "{{name}}" },
        "/calls/0/error/message": { is: "{{message}}" },
      },
      { content: thrown, mark: "b" },
    ),
    ...order("not-thrown", { "/calls/*/error": { is: orderCalls.map(() => null) } }, { mark: "c" }),
  ]),
  shows(
    "TRACE-023",
    "a call that returned nothing says so",
    order(
      "nothing",
      calls(["OrderController", "Mailer"], "result", () => ({ $undefined: true })),
    ),
  ),
  shows(
    "TRACE-102",
    "a trace has the method of the request",
    each(["GET", "HEAD", "OPTIONS", "DELETE", "PROPFIND"], (method, mark) =>
      traced(method, "/users/7?about=fields", { "/method": { is: method } }, { mark }),
    ),
  ),
  shows(
    "TRACE-104",
    "the bytes of the body are counted",
    each([1_000, 7, 9, 0], (bytes, mark) =>
      get(`/big/${bytes}?about=fields`, { "/response/bytes": { is: bytes } }, { mark }),
    ),
  ),
  shows(
    "TRACE-105",
    "no request is aborted that was not",
    each(["/users/7", "/boom", "/events/3", "/nowhere"], (path, mark) =>
      get(`${path}?about=fields`, { "/aborted": { is: false } }, { mark }),
    ),
  ),
  shows("TRACE-106", "a call names what its bean is for, as the graph does", ofAll("stereotype", stereotypeOf)),
  shows(
    "TRACE-109",
    "a call names the interface that the method is of",
    ofAll("declaredBy", (bean) => bean),
  ),
  shows(
    "TRACE-107",
    "a call says whether it returned a promise",
    order(
      "fields",
      calls(orderCalls.slice(0, 5), "async", (bean) => bean.startsWith("Order")),
    ),
  ),
  shows(
    "TRACE-054",
    "no bound of calls is named where none was reached",
    get("/parallel?about=fields", {
      "/callLimit": { present: false },
      "/calls/6": { present: true },
      "/calls/7": { present: false },
    }),
  ),
  shows(
    "TRACE-110",
    "a trace of a request says nothing that is of other work",
    get("/users/7?about=fields", {
      "/method": { is: "GET" },
      "/kind": { present: false },
      "/event": { present: false },
      "/connection": { present: false },
    }),
  ),
  shows(
    "TRACE-132",
    "a trace names the version that the request got",
    each(["1", "2", "9"], (version, mark) =>
      get(
        "/versions/header?about=versions",
        { "/route": { is: "/versions/header" }, "/version": version === "9" ? { present: false } : { is: version } },
        { mark, content: { headers: { "api-version": version } } },
      ),
    ),
    { features: ["versions"] },
  ),
  shows(
    "TRACE-108",
    "a trace says that nothing was dropped",
    get("/parallel?about=fields", {
      "/calls/6": { present: true },
      "/droppedCalls": { is: 0 },
      "/droppedLeaves": { is: 0 },
    }),
  ),
  shows(
    "TRACE-031",
    "secrets within texts are hidden",
    shown(
      "texts",
      Object.fromEntries(Object.entries(texts).map(([name, [text]]) => [name, text])),
      Object.fromEntries(Object.keys(texts).map((name) => [`/${name}`, { has: hidden }])),
      { list: Object.values(texts).map(([, lacks]) => ({ lacks })) },
    ),
  ),
  shows(
    "TRACE-032",
    "a secret path parameter is hidden in the path too",
    get(`/users/${jwt}?about=parameter`, {
      "/path": { is: `/users/${hidden}` },
      "/request/pathParams": { is: { id: hidden } },
    }),
  ),
  shows(
    "TRACE-033",
    "what stands under a name that only contains a secret word is shown",
    shown("open", open, { "": { is: open } }),
  ),
  shows(
    "TRACE-042",
    "what is assigned to a secret name within a text is hidden",
    shown("assigned", Object.fromEntries(Object.entries(assigned).map(([name, [text]]) => [name, text])), {
      "": { is: Object.fromEntries(Object.entries(assigned).map(([name, [, is]]) => [name, is])) },
    }),
  ),
  shows(
    "TRACE-043",
    "a secret parameter in the path is hidden, whatever the method",
    Object.entries({ GET: 200, OPTIONS: 204, DELETE: 405 }).flatMap(([method, status]) =>
      traced(
        method,
        "/reset/{{token}}-word?about=reset",
        { "/status": { is: status }, "/path": { is: `/reset/${hidden}` } },
        { mark: method, expect: { status } },
      ),
    ),
  ),
  shows(
    "TRACE-090",
    "annotations are shown in order, as they were then, without their secrets",
    get(
      "/annotated/{{token}}?about=annotated",
      {
        "/annotations/*/name": { is: ["told", "told"] },
        "/annotations/*/value": { is: [{ mark: "{{token}}", password: hidden, list: ["first"] }, hidden] },
      },
      { expect: { status: 200 } },
    ),
  ),
  shows(
    "TRACE-090",
    "fifty annotations are kept and the others counted",
    get("/annotated/{{token}}?about=annotated-more&more=60", {
      "/annotations/*/name": {
        is: ["told", "told", ...Array.from({ length: 48 }, (_, at) => `more-${at + 1}`), "more"],
      },
      "/annotations/50/value": { is: { $truncated: 12 } },
    }),
  ),
  shows(
    "TRACE-122",
    "a run that was told nothing of has no annotations",
    get("/users/{{token}}?about=annotated-nothing", {
      "/path": { is: "/users/{{token}}" },
      "/annotations": { present: false },
    }),
  ),
  shows("TRACE-113", "a trace has the request id", [
    step(
      "GET",
      "/users/{{token}}?about=any-request-id",
      undefined,
      {},
      { save: { id: { header: "x-request-id", part: "(.+)" } } },
    ),
    step("GET", requestsPath, { body: { has: '"{{id}}"' } }, {}, { until: { body: { has: "{{token}}" } } }),
  ]),
  shows(
    "TRACE-114",
    "where there is no request id a trace has the value of the dashboard's header",
    [
      step("GET", "/users/{{token}}-path?about=any-dashboard", undefined, {
        headers: { "x-framework-dev": "{{token}}" },
      }),
      step("GET", requestsPath, { body: { has: '"{{token}}"' } }, {}, { until: { body: { has: "{{token}}-path" } } }),
    ],
    { profile: "no-request-id" },
  ),
];

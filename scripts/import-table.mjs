/**
 * Which folder may import which: the rule `house/import-table` of scripts/lint-plugin.mjs enforces it in `make check`.
 * Oxlint's own `no-restricted-imports` knows neither where a relative path leads nor a file that no rule covers.
 *
 *   spec → src → conformance, e2e, test, bench, examples      (nothing points back)
 *
 * A file belongs to the first row whose second column matches its path; a file in no row is a finding, so that a new
 * folder needs a decision here. The third column is what it may import: a path from the root, `node:…` or `npm:…`.
 * The fourth is allowed as `import type` only.
 */

const ours = String.raw`npm:(framework|@framework/devtools)(/|$)`;
const others = String.raw`npm:(?!@?framework(/|$))`;

/** A pattern of alternatives, each from the start of the name. @param {readonly string[]} names */
const any = (...names) => new RegExp(`^(${names.join("|")})`);

/**
 * The rooms of the framework, from the lowest up, and what of the rooms below each may import besides itself.
 *
 *   app ──▶ dispatch ──▶ middleware ──▶ http ──▶ contract, routing, beans ──▶ internal
 *    └────▶ engine ──────────────────────┘
 *   openapi, opentelemetry, prometheus, websocket ──▶ middleware (types), contract, metrics
 */
const frameworkRooms = {
  internal: [],
  beans: ["internal"],
  routing: ["internal"],
  metrics: ["internal"],
  contract: ["internal"],
  http: ["internal", "beans", "routing", "contract"],
  engine: ["internal", "http/exchange", "http/authority"],
  middleware: ["internal", "metrics"],
  openapi: ["internal", "contract"],
  broadcast: ["internal"],
  websocket: ["internal"],
  opentelemetry: ["internal", "metrics"],
  prometheus: ["internal", "metrics"],
  dispatch: ["internal", "contract", "routing", "http", "middleware/hooks"],
  app: ["internal", "beans", "routing", "http", "engine", "dispatch"],
};
/** What a room may know the types of alone. */
const frameworkTypes = {
  middleware: ["http/context", "http/exchange", "contract"],
  openapi: ["http/context", "middleware/types"],
  opentelemetry: ["http/context", "middleware/types"],
  prometheus: ["http/context"],
  websocket: ["http/context", "http/upgrade"],
  dispatch: ["beans/types", "middleware/types"],
  app: ["middleware/types", "contract"],
};
/** The library that a room is an adapter of. */
const adapted = {
  opentelemetry: ["npm:@opentelemetry/api$"],
  prometheus: ["npm:prom-client$"],
  websocket: ["npm:ws$", "npm:framework$"],
};

const inFramework = (names) => String.raw`src/framework/(${names.join("|")})(\.ts$|/)`;
const frameworkRows = Object.entries(frameworkRooms).map(([room, below]) => [
  room,
  any(inFramework([room])),
  any(inFramework([room, ...below]), ...(adapted[room] ?? [])),
  any(inFramework(frameworkTypes[room] ?? [room]), ...(["engine", "websocket"].includes(room) ? ["node:"] : [])),
]);

/**
 * The rooms of the dashboard, from the lowest up, and the rooms below that each may import besides itself.
 *
 *   shell ──▶ graph, request, node, timeline, compare, runs, json ──▶ store ──▶ page
 */
const rooms = {
  page: [],
  json: ["page"],
  store: ["page"],
  compare: ["page", "store"],
  runs: ["page", "store"],
  timeline: ["page", "store"],
  graph: ["page", "store", "compare"],
  node: ["page", "store", "json", "runs"],
  request: ["page", "store", "json", "runs"],
  shell: ["page", "store", "compare", "graph", "node", "request", "runs", "timeline"],
};
const dashboardRooms = Object.entries(rooms).map(([room, below]) => [
  `dashboard, ${room}`,
  any(`src/devtools/dashboard/${room}/`),
  any(
    String.raw`src/devtools/wire\.ts$`,
    `src/devtools/dashboard/(${[room, ...below].join("|")})/`,
    "npm:preact(/hooks)?$",
    room === "json" ? "npm:jsonc-parser$" : "npm:@preact/signals$",
  ),
]);

/** @type {readonly (readonly [name: string, from: RegExp, may: RegExp, mayType?: RegExp])[]} */
export const table = [
  ["spec tests", /^spec\/.*\.test\.ts$/, any("spec/", "node:", "npm:ajv(/|$)")],
  ["spec", any("spec/"), any("spec/", "npm:typebox(/|$)")],
  ["framework tests", /^src\/framework\/.*\.test\.ts$/, any("src/framework/", "npm:framework$", "node:", others)],
  ...frameworkRows,
  ["framework, entry", /^src\/framework\/index\.ts$/, any(inFramework(Object.keys(frameworkRooms)))],
  [
    "dashboard tests",
    /^src\/devtools\/dashboard\/(.*\.test\.tsx?$|testing\/)/,
    any("src/devtools/dashboard/", String.raw`src/devtools/wire\.ts$`, "node:", others),
  ],
  ...dashboardRooms,
  [
    "dashboard, start",
    /^src\/devtools\/dashboard\/(main\.tsx|boot\.ts)$/,
    any("src/devtools/dashboard/(page|runs|shell|store)/", "npm:preact$"),
  ],
  [
    "devtools tests",
    /^src\/devtools\/(server\/)?[^/]*\.(test|testkit)\.ts$/,
    any("src/devtools/(?!dashboard/)", "npm:framework(/(engine|websocket))?$", "node:", others),
  ],
  [
    "devtools",
    any("src/devtools/(?!dashboard/)"),
    any(String.raw`src/devtools/(server/|dist/|(index|wire)\.ts$)`, "npm:framework$", "node:"),
  ],
  ["create-framework", any("src/create-framework/"), any("src/create-framework/", "node:")],
  [
    "conformance",
    any("conformance/"),
    any("conformance/", "spec/", String.raw`test/[^/]+\.ts$`, ours, "node:", others),
  ],
  ["scripts", any("scripts/"), any("scripts/", "node:", "npm:oxlint/plugins-dev$")],
  ["test", any("test/"), any("test/", ours, "node:", others)],
  ["e2e, bench", any("(e2e|bench)/"), any("(e2e|bench)/", String.raw`test/[^/]+\.ts$`, ours, "node:", others)],
  ["example tests", /^examples\/.*\.test\.ts$/, any("examples/", "spec/", ours, "node:", others)],
  ["examples", any("examples/"), any("examples/", ours, "node:", others)],
];

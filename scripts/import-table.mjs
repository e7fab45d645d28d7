/**
 * Which folder may import which: the rule `house/import-table` of scripts/lint-plugin.mjs enforces it in `make check`.
 * Oxlint's own `no-restricted-imports` neither resolves relative paths nor detects a file without a rule.
 *
 *   spec → src → conformance, e2e, test, bench, examples      (nothing points back)
 *
 * A file belongs to the first row with a matching second column. A file without a row is a finding, so a new folder needs a
 * decision here. The third column is what it may import: a path from the root, `node:…` or `npm:…`. The fourth is allowed only
 * as `import type`.
 */

import { readdirSync } from "node:fs";

const ours = String.raw`npm:(framework|@framework/devtools)(/|$)`;
const others = String.raw`npm:(?!@?framework(/|$))`;
const run = "src/devtools/run/";

/** A pattern of alternatives, each from the start of the name. @param {readonly string[]} names */
const any = (...names) => new RegExp(`^(${names.join("|")})`);

/**
 * The rooms of the framework, from the lowest up, and the rooms below that each may import, in addition to itself.
 *
 *   app ──▶ dispatch ──▶ middleware ──▶ http ──▶ contract, routing, beans ──▶ internal
 *    └────▶ engine ──────────────────────┘
 *   openapi, opentelemetry, prometheus, static, websocket ──▶ middleware (types), contract, metrics
 *   auth, session, rate-limit, idempotency, cache ──▶ middleware · bun, deno ──▶ engine · proxy ──▶ http
 *   webhooks ──▶ work ──▶ app
 *
 * None imports index.ts, since entries are bundled together (scripts/bundle-framework.mjs), so a class is the same in all of
 * them.
 */
const frameworkRooms = {
  internal: [],
  beans: ["internal"],
  routing: ["internal"],
  metrics: ["internal"],
  contract: ["internal"],
  http: ["internal", "beans", "routing", "contract"],
  engine: ["internal", "http/exchange", "http/authority", "http/headers", "http/native-socket"],
  middleware: ["internal", "metrics", "http/headers", "http/streaming"],
  auth: ["internal", "metrics", "middleware/hooks"],
  session: ["internal", "metrics", "http/cookies", "middleware/hooks", "middleware/cross-origin"],
  openapi: ["internal", "contract"],
  mcp: ["internal", "contract", "http/headers", "engine/leaving", "middleware/hooks"],
  broadcast: ["internal"],
  websocket: ["internal"],
  opentelemetry: ["internal", "metrics", "beans/calls", "http/target"],
  prometheus: ["internal", "metrics"],
  connect: ["internal"],
  bun: ["internal", "engine/fetch"],
  deno: ["internal", "engine/fetch"],
  multipart: ["internal"],
  cache: ["internal", "metrics", "http/headers"],
  idempotency: ["internal", "metrics"],
  "rate-limit": ["internal", "metrics", "http/addresses", "middleware/hooks"],
  proxy: ["internal", "http/target"],
  static: ["internal", "http/target"],
  dispatch: ["internal", "beans/errors", "contract", "routing", "http", "middleware/hooks"],
  app: ["internal", "beans", "routing", "http", "engine", "dispatch"],
  webhooks: ["internal", "work/job", "work/dead-letter"],
  work: ["internal", "beans", "contract", "app/plugins", "app/work", "metrics", "middleware/log/log-scope"],
};
/** The rooms from which a room may import only types. */
const frameworkTypes = {
  middleware: ["http/context", "http/exchange", "http/phases", "http/job-origin", "http/services", "contract"],
  auth: ["http/context", "middleware/hooks", "middleware/types"],
  session: ["http/context", "middleware/hooks", "middleware/types"],
  openapi: ["http/context", "middleware/types"],
  mcp: ["http/context", "http/exchange", "middleware/types"],
  opentelemetry: ["beans/types", "http/context", "http/job-origin", "middleware/types"],
  prometheus: ["http/context"],
  proxy: ["http/context", "http/request-context", "http/upgrade"],
  static: ["http/context", "middleware/types"],
  websocket: ["http/context", "http/native-socket", "http/upgrade"],
  bun: ["http/exchange", "http/native-socket"],
  deno: ["http/exchange", "http/native-socket"],
  connect: ["http/context", "middleware/types"],
  multipart: ["contract"],
  cache: ["http/context", "middleware/types"],
  idempotency: ["http/context", "middleware/types"],
  "rate-limit": ["http/context", "middleware/types"],
  dispatch: ["beans/types", "middleware/types"],
  app: ["middleware/types", "contract", "metrics/collector"],
  webhooks: ["http/context", "middleware/types", "app/work"],
  work: ["http/job-origin", "middleware/types"],
};
/** The library that a room adapts. */
const adapted = {
  auth: ["npm:jose$"],
  mcp: ["npm:@modelcontextprotocol/server$"],
  opentelemetry: ["npm:@opentelemetry/api$"],
  prometheus: ["npm:prom-client$"],
  proxy: ["node:(crypto|http|https|stream)$"],
  static: ["npm:@fastify/send$", "node:(fs|fs/promises|path|stream|util)$"],
  multipart: ["npm:@fastify/busboy$"],
  websocket: ["npm:#?ws$"],
  work: ["npm:(pg-boss|bullmq)$"],
};

const inFramework = (names) => String.raw`src/framework/(${names.join("|")})(\.ts$|/)`;
const frameworkRows = Object.entries(frameworkRooms).map(([room, below]) => [
  room,
  any(inFramework([room])),
  any(inFramework([room, ...below]), ...(adapted[room] ?? [])),
  any(
    inFramework(frameworkTypes[room] ?? [room]),
    ...(["engine", "multipart", "websocket"].includes(room) ? ["node:"] : []),
  ),
]);

/**
 * The rooms of the dashboard, from the lowest up, and the rooms below that each may import, in addition to itself. A room without a
 * row is a panel, such as why, timeline, node or app. It may import the rooms of `panel`, and only the shell imports it.
 *
 *   shell ──▶ panels ──▶ plugins, replay, graph, request, compare, leaves, runs, json, forms ──▶ store ──▶ page
 */
const panel = ["page", "store", "json", "leaves", "runs"];
const folders = readdirSync(new URL("../src/devtools/dashboard/", import.meta.url), { withFileTypes: true });
const rooms = {
  ...Object.fromEntries(folders.filter((one) => one.isDirectory()).map(({ name }) => [name, panel])),
  page: [],
  json: ["page"],
  forms: ["page"],
  store: ["page"],
  leaves: ["page", "store", "json"],
  compare: ["page", "store", "leaves", "runs"],
  runs: ["page", "store"],
  graph: ["page", "store", "compare", "leaves"],
  request: ["page", "store", "json", "forms", "leaves", "runs"],
  plugins: ["page", "store", "graph", "json", "runs"],
  replay: ["page", "store", "json", "compare", "request", "runs"],
  node: [...panel, "replay"],
  app: [...panel, "replay"],
  start: [...panel, "app", "node", "graph"],
  shell: [String.raw`\w+`],
};
const dashboardRooms = Object.entries(rooms).map(([room, below]) => [
  `dashboard, ${room}`,
  any(`src/devtools/dashboard/${room}/`),
  any(run, `src/devtools/dashboard/(${[room, ...below].join("|")})/`, "npm:(preact(/hooks)?|@preact/signals)$"),
]);

/**
 * The server-side rooms of devtools, from the lowest up, and the rooms below that each may import, in addition to itself.
 *
 *   serve ──▶ keep ──▶ record ──▶ capture ──▶ run          cli, dashboard ──▶ run
 */
const devtoolsRooms = {
  capture: ["run"],
  record: ["run", "capture"],
  keep: ["run", "capture", "record"],
  serve: ["run", "capture", "record", "keep"],
};
const devtoolsRows = Object.entries(devtoolsRooms).map(([room, below]) => [
  `devtools, ${room}`,
  any(`src/devtools/${room}/`),
  any(`src/devtools/(${[room, ...below].join("|")})/`, "npm:framework$", "node:"),
  any(String.raw`src/devtools/host\.ts$`),
]);

/** @type {readonly (readonly [name: string, from: RegExp, may: RegExp, mayType?: RegExp])[]} */
export const table = [
  ["spec tests", /^spec\/.*\.test\.ts$/, any("spec/", "node:", "npm:ajv(/|$)")],
  ["spec", any("spec/"), any("spec/", "npm:typebox(/|$)")],
  [
    "framework tests",
    /^src\/framework\/.*\.(test|testkit)\.ts$/,
    any("src/framework/", "npm:framework$", "node:", others),
  ],
  ...frameworkRows,
  ["framework, entry", /^src\/framework\/index\.ts$/, any(inFramework(Object.keys(frameworkRooms)))],
  [
    "dashboard tests",
    /^src\/devtools\/dashboard\/(.*\.test\.tsx?$|testing\/)/,
    any(String.raw`src/devtools/(run/|dashboard/|cpu-time\.testkit\.ts$)`, "node:", others),
  ],
  ...dashboardRooms,
  [
    "dashboard, start",
    /^src\/devtools\/dashboard\/(main\.tsx|boot\.ts)$/,
    any(run, "src/devtools/dashboard/(page|runs|shell|store)/", "npm:(preact(/hooks)?|@preact/signals)$"),
  ],
  [
    "devtools tests",
    /^src\/devtools\/(?!dashboard\/).*\.(test|testkit)\.ts$/,
    any("src/devtools/(?!dashboard/)", "npm:framework(/(engine|websocket|work|opentelemetry/otlp))?$", "node:", others),
  ],
  // The model of a run, for the server, the page and programs. It imports no other room.
  ["devtools, run", any(run), any(run)],
  ...devtoolsRows,
  // The official kit implements the agents' protocol, in a separate file.
  ["devtools, mcp kit", /^src\/devtools\/cli\/mcp\/kit\.ts$/, any("npm:@modelcontextprotocol/server(/stdio)?$")],
  // A separate program: it may import the wire formats, but nothing of the server.
  ["devtools, cli", any("src/devtools/cli/"), any("src/devtools/cli/", run, "node:")],
  [
    "devtools",
    any(String.raw`src/devtools/\w+\.ts$`),
    any(String.raw`src/devtools/((run|capture|record|keep|serve)/|\w+\.ts$)`, "npm:framework$", "node:"),
  ],
  [
    "create-framework tests",
    /^src\/create-framework\/.*\.(test|testkit)\.ts$/,
    any("src/create-framework/", String.raw`npm:framework(/openapi)?$`, "node:", others),
  ],
  ["create-framework", any("src/create-framework/"), any("src/create-framework/", "node:")],
  ["site", any(String.raw`docs/\.vitepress/`), any(String.raw`docs/\.vitepress/`, "npm:vitepress(/theme)?$", "node:")],
  [
    "conformance",
    any("conformance/"),
    any("conformance/", "spec/", String.raw`test/[^/]+\.ts$`, ours, "node:", others),
  ],
  ["scripts", any("scripts/"), any("scripts/", "node:", "npm:oxlint/plugins-dev$")],
  ["test", any("test/"), any("test/", ours, "node:", others)],
  // It restarts the service of an example, with the data that outlives it.
  [
    "e2e, front end",
    any(String.raw`e2e/front-end\.spec\.ts$`),
    any("e2e/", "examples/front-end/", ours, "node:", others),
  ],
  ["e2e, bench", any("(e2e|bench)/"), any("(e2e|bench)/", String.raw`test/[^/]+\.ts$`, ours, "node:", others)],
  [
    "example tests",
    /^examples\/.*\.test\.ts$/,
    any("examples/", "spec/", String.raw`test/[^/]+\.ts$`, ours, "node:", others),
  ],
  ["examples", any("examples/"), any("examples/", ours, "node:", others)],
];

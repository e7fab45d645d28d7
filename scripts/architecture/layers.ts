/**
 * The import table: which folder may import which. Every source file belongs to exactly one row, the
 * first that matches; a file in no row is a finding, so that a new folder needs a decision here.
 *
 *   spec → src → conformance, e2e, bench, examples            (nothing points back)
 */
import { isTest, type Import, type Source } from "./source.ts";

/** One row: files whose path matches `from` may import what `may` matches (a path or a package name). */
export interface Layer {
  readonly name: string;
  readonly from: RegExp;
  readonly may: readonly RegExp[];
  /** Allowed as `import type` only. */
  readonly mayType?: readonly RegExp[] | undefined;
}

const packages = /^(framework|@framework\/devtools)(\/|$)/;
/**
 * The rooms of the framework, from the lowest up, and the rooms below that each may import besides itself.
 *
 *   app ──▶ dispatch ──▶ middleware ──▶ http ──▶ routing, beans ──▶ internal
 *    └────▶ engine ──────────────────────┘
 *   opentelemetry, prometheus ──▶ middleware (types), metrics
 */
const frameworkRooms: Readonly<Record<string, readonly string[]>> = {
  internal: [],
  beans: ["internal"],
  routing: ["internal"],
  metrics: ["internal"],
  http: ["internal", "beans", "routing"],
  engine: ["internal", "http/exchange", "http/authority"],
  middleware: ["internal", "metrics"],
  opentelemetry: ["internal", "metrics"],
  prometheus: ["internal", "metrics"],
  dispatch: ["internal", "routing", "http", "middleware/hooks"],
  app: ["internal", "beans", "routing", "http", "engine", "dispatch"],
};

/** Rooms below of which a room may know the types alone. */
const frameworkTypes: Readonly<Record<string, readonly string[]>> = {
  middleware: ["http/context"],
  opentelemetry: ["http/context", "middleware/types"],
  prometheus: ["http/context"],
  dispatch: ["beans/types", "middleware/types"],
  app: ["middleware/types"],
};

/** The libraries that a room is an adapter of. */
const adapted: Readonly<Record<string, readonly RegExp[]>> = {
  opentelemetry: [/^@opentelemetry\/api$/],
  prometheus: [/^prom-client$/],
};

const inFramework = (rooms: readonly string[]): RegExp => new RegExp(`^src/framework/(${rooms.join("|")})(\\.ts$|/)`);

const frameworkLayers: readonly Layer[] = Object.entries(frameworkRooms).map(([room, below]) => ({
  name: room,
  from: inFramework([room]),
  may: [inFramework([room, ...below]), ...(adapted[room] ?? [])],
  mayType: [inFramework(frameworkTypes[room] ?? [room]), ...(room === "engine" ? [/^node:/] : [])],
}));

/**
 * The rooms of the dashboard, from the lowest up, and the rooms below that each may import besides itself.
 *
 *   shell ──▶ graph, request, node, timeline, compare, runs, json ──▶ store ──▶ page
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
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

const dashboardRooms: readonly Layer[] = Object.entries(rooms).map(([room, below]) => ({
  name: `dashboard, ${room}`,
  from: new RegExp(`^src/devtools/dashboard/${room}/`),
  may: [
    new RegExp(`^src/devtools/(wire\\.ts$|dashboard/(${[room, ...below].join("|")})/)`),
    room === "json" ? /^(preact(\/hooks)?|jsonc-parser)$/ : /^(preact(\/hooks)?|@preact\/signals)$/,
  ],
}));

/** The table of this repository. */
export const layers: readonly Layer[] = [
  { name: "spec tests", from: /^spec\/.*\.test\.ts$/, may: [/^spec\//, /^node:/, /^ajv(\/|$)/] },
  { name: "spec", from: /^spec\//, may: [/^spec\//, /^typebox(\/|$)/] },
  {
    name: "framework tests",
    from: /^src\/framework\/.*\.test\.ts$/,
    may: [/^src\/framework\//, /^framework$/, /^node:/, /^[@a-z](?!ramework)/],
  },
  ...frameworkLayers,
  { name: "entry", from: /^src\/framework\/index\.ts$/, may: [inFramework(Object.keys(frameworkRooms))] },
  {
    name: "dashboard tests",
    from: /^src\/devtools\/dashboard\/(.*\.test\.tsx?$|testing\/)/,
    may: [/^src\/devtools\/(dashboard\/|wire\.ts$)/, /^node:/, /^[@a-z](?!ramework)/],
  },
  ...dashboardRooms,
  {
    name: "dashboard, start",
    from: /^src\/devtools\/dashboard\/(main\.tsx|boot\.ts)$/,
    may: [/^src\/devtools\/dashboard\/(page|runs|shell|store)\//, /^preact$/],
  },
  {
    name: "devtools tests",
    from: /^src\/devtools\/(server\/)?[^/]*\.(test|testkit)\.ts$/,
    may: [/^src\/devtools\/(?!dashboard\/)/, /^framework$/, /^node:/, /^[@a-z](?!ramework)/],
  },
  {
    name: "devtools",
    from: /^src\/devtools\/(?!dashboard\/)/,
    may: [/^src\/devtools\/(server\/|index\.ts$|wire\.ts$|dist\/)/, /^framework$/, /^node:/],
  },
  { name: "create-framework", from: /^src\/create-framework\//, may: [/^src\/create-framework\//, /^node:/] },
  { name: "conformance", from: /^conformance\//, may: [/^conformance\//, /^spec\//, packages, /^node:/, /^[@a-z]/] },
  { name: "scripts", from: /^scripts\//, may: [/^scripts\//, /^node:/, /^oxc-parser$/] },
  { name: "e2e, bench", from: /^(e2e|bench)\//, may: [/^(e2e|bench)\//, packages, /^node:/, /^[@a-z]/] },
  {
    name: "example tests",
    from: /^examples\/.*\.test\.ts$/,
    may: [/^examples\//, /^spec\//, packages, /^node:/, /^[@a-z]/],
  },
  { name: "examples", from: /^examples\//, may: [/^examples\//, packages, /^node:/, /^[@a-z]/] },
];

/** The sentences for every import that the table does not allow, and for files in no row. */
export function layerFindings(sources: readonly Source[], table: readonly Layer[] = layers): readonly string[] {
  return sources.flatMap(({ path, imports }) => {
    const layer = table.find(({ from }) => from.test(path));
    if (!layer) return [`${path}: belongs to no row of the import table (scripts/architecture/layers.ts)`];
    return imports.filter((found) => !allowed(layer, found)).map((found) => sentence(path, layer, found));
  });
}

function allowed({ may, mayType = [] }: Layer, { specifier, target, typeOnly }: Import): boolean {
  const name = target ?? specifier;
  if (target !== undefined && isTest(target)) return true;
  return may.some((pattern) => pattern.test(name)) || (typeOnly && mayType.some((pattern) => pattern.test(name)));
}

function sentence(path: string, { name }: Layer, { specifier, typeOnly }: Import): string {
  return `${path}: ${name} may not import ${typeOnly ? "the type of " : ""}${specifier}`;
}

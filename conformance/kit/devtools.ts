/** Where devtools are, and what their own errors look like. Spec: devtools.md (DEV). */
import { Type } from "typebox";

/** The page. */
export const page = "/framework/dev";
/** The list of routes. */
export const routesPath = `${page}/api/routes`;
/** The graph of beans. */
export const graphPath = `${page}/api/graph`;
/** The list of traces. */
export const requestsPath = `${page}/api/requests`;
/** The stream of traces. */
export const streamPath = `${page}/api/stream`;

/** The list of panels, and what stands before the name of one. */
export const panelsPath = `${page}/api/panels`;

/** The sessions whose runs are kept. */
export const sessionsPath = `${page}/api/sessions`;
/** Runs on disk. */
export const historyPath = `${page}/api/history`;
/** One run, by what stands behind it. */
export const runsPath = `${page}/api/runs/`;
/** What can be replayed of a run, by what stands behind it. */
export const replaysPath = `${page}/api/replays/`;
/** A search of the kept runs. */
export const searchPath = `${page}/api/search`;
/** What the kept runs have in common. */
export const aggregatesPath = `${page}/api/aggregates`;
/** How the application came up. */
export const startupPath = `${page}/api/startup`;
/** The application's metrics. */
export const devtoolsMetricsPath = `${page}/api/metrics`;
/** The application's health. */
export const devtoolsHealthPath = `${page}/api/health`;

/** Every endpoint whose response ends. */
export const documents: readonly string[] = [page, routesPath, graphPath, requestsPath];
/** Every endpoint. */
export const endpoints: readonly string[] = [...documents, streamPath];

/** Headers of a client that reads JSON, and by which a mutant knows the requests that are about the JSON. */
export const asJson = { accept: "application/json" } as const;
/** The same for the page. */
export const asHtml = { accept: "text/html" } as const;

/** A Problem (RFC 9457) as far as clauses about devtools speak of it. */
export const Problem = Type.Object({ title: Type.String({ minLength: 1 }), status: Type.Integer() });

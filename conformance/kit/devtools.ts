/** The paths of devtools, and the form of their errors. Spec: devtools.md (DEV). */
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

/** The list of panels. A panel's name follows it. */
export const panelsPath = `${page}/api/panels`;

/** The sessions with kept runs. */
export const sessionsPath = `${page}/api/sessions`;
/** Runs on disk. */
export const historyPath = `${page}/api/history`;
/** One run. Its key follows. */
export const runsPath = `${page}/api/runs/`;
/** The replay plan of a run. Its key follows. */
export const replaysPath = `${page}/api/replays/`;
/** A search of the kept runs. */
export const searchPath = `${page}/api/search`;
/** The aggregates of the kept runs. */
export const aggregatesPath = `${page}/api/aggregates`;
/** The explanation of a run. */
export const whyPath = `${page}/api/analyses/why`;
/** The start of the application. */
export const startupPath = `${page}/api/startup`;
/** The jobs. The name and id of a dead letter follow it. */
export const jobsPath = `${page}/api/jobs`;
/** The application's metrics. */
export const devtoolsMetricsPath = `${page}/api/metrics`;
/** The application's health. */
export const devtoolsHealthPath = `${page}/api/health`;

/** Every endpoint with a response that ends. */
export const documents: readonly string[] = [page, routesPath, graphPath, requestsPath];
/** Every endpoint. */
export const endpoints: readonly string[] = [...documents, streamPath];

/** Headers of a client that reads JSON. A mutant recognizes requests about JSON by them. */
export const asJson = { accept: "application/json" } as const;
/** The same for the page. */
export const asHtml = { accept: "text/html" } as const;

/** The members of a Problem (RFC 9457) that clauses about devtools mention. */
export const Problem = Type.Object({ title: Type.String({ minLength: 1 }), status: Type.Integer() });

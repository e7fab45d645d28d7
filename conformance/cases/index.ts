/** Every case: the vectors and the cases that are not vectors, by chapter. */
import type { Case } from "../kit/case.ts";
import { vectorCases } from "../vectors/index.ts";
import { auth } from "./auth.ts";
import { cache } from "./cache.ts";
import { conditional } from "./conditional.ts";
import { context } from "./context.ts";
import { cookies } from "./cookies.ts";
import { devtoolsContent } from "./devtools-content.ts";
import { devtoolsPage } from "./devtools-page.ts";
import { devtoolsRoutes } from "./devtools-routes.ts";
import { devtools } from "./devtools.ts";
import { engines } from "./engines.ts";
import { errors } from "./errors.ts";
import { guard } from "./guard.ts";
import { health } from "./health.ts";
import { idempotency } from "./idempotency.ts";
import { jobs } from "./jobs.ts";
import { leaves } from "./leaves.ts";
import { history } from "./history.ts";
import { log } from "./log.ts";
import { metrics } from "./metrics.ts";
import { multipart } from "./multipart.ts";
import { overload } from "./overload.ts";
import { replay } from "./replay.ts";
import { session } from "./session.ts";
import { routing } from "./routing.ts";
import { securityHeaders } from "./security-headers.ts";
import { staticFiles } from "./static.ts";
import { stream } from "./stream.ts";
import { webhooks } from "./webhooks.ts";
import { traceBodies } from "./trace-bodies.ts";
import { traceFields } from "./trace-fields.ts";
import { traceCalls } from "./trace-calls.ts";
import { traceValues } from "./trace-values.ts";
import { trace } from "./trace.ts";
import { tracing } from "./tracing.ts";
import { work } from "./work.ts";

/** Every case. */
export const cases: readonly Case[] = [
  ...vectorCases,
  ...errors,
  ...routing,
  ...idempotency,
  ...webhooks,
  ...cache,
  ...conditional,
  ...context,
  ...cookies,
  ...staticFiles,
  ...securityHeaders,
  ...health,
  ...overload,
  ...work,
  ...log,
  ...metrics,
  ...tracing,
  ...guard,
  ...devtools,
  ...devtoolsRoutes,
  ...devtoolsPage,
  ...devtoolsContent,
  ...trace,
  ...traceBodies,
  ...traceFields,
  ...traceCalls,
  ...traceValues,
  ...leaves,
  ...stream,
  ...history,
  ...replay,
  ...jobs,
  ...engines,
  ...multipart,
  ...session,
  ...auth,
];

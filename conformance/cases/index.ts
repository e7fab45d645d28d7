/** Every case: the vectors, and what no vector shows, chapter by chapter. */
import type { Case } from "../kit/case.ts";
import { vectorCases } from "../vectors/index.ts";
import { annotations } from "./annotations.ts";
import { auth } from "./auth.ts";
import { compression } from "./compression.ts";
import { conditional } from "./conditional.ts";
import { context } from "./context.ts";
import { contracts } from "./contracts.ts";
import { cookies } from "./cookies.ts";
import { devtoolsContent } from "./devtools-content.ts";
import { devtoolsPage } from "./devtools-page.ts";
import { devtoolsRoutes } from "./devtools-routes.ts";
import { devtools } from "./devtools.ts";
import { engines } from "./engines.ts";
import { graph } from "./graph.ts";
import { guard } from "./guard.ts";
import { health } from "./health.ts";
import { leaves } from "./leaves.ts";
import { history } from "./history.ts";
import { log } from "./log.ts";
import { metrics } from "./metrics.ts";
import { middleware } from "./middleware.ts";
import { multipart } from "./multipart.ts";
import { plugins } from "./plugins.ts";
import { rateLimit } from "./rate-limit.ts";
import { replay } from "./replay.ts";
import { requestId } from "./request-id.ts";
import { session } from "./session.ts";
import { routing } from "./routing.ts";
import { search } from "./search.ts";
import { securityHeaders } from "./security-headers.ts";
import { staticFiles } from "./static.ts";
import { stream } from "./stream.ts";
import { traceBodies } from "./trace-bodies.ts";
import { traceFields } from "./trace-fields.ts";
import { traceCalls } from "./trace-calls.ts";
import { traceValues } from "./trace-values.ts";
import { trace } from "./trace.ts";
import { tracing } from "./tracing.ts";
import { websocket } from "./websocket.ts";

/** Every case. */
export const cases: readonly Case[] = [
  ...vectorCases,
  ...routing,
  ...context,
  ...compression,
  ...conditional,
  ...contracts,
  ...cookies,
  ...middleware,
  ...rateLimit,
  ...requestId,
  ...staticFiles,
  ...securityHeaders,
  ...health,
  ...log,
  ...metrics,
  ...tracing,
  ...graph,
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
  ...annotations,
  ...plugins,
  ...stream,
  ...history,
  ...search,
  ...replay,
  ...engines,
  ...websocket,
  ...multipart,
  ...session,
  ...auth,
];

/** Every case, chapter by chapter. */
import type { Case } from "../kit/case.ts";
import { devtools } from "./devtools.ts";
import { devtoolsPage } from "./devtools-page.ts";
import { devtoolsRoutes } from "./devtools-routes.ts";
import { graph } from "./graph.ts";
import { guard } from "./guard.ts";
import { health } from "./health.ts";
import { stream } from "./stream.ts";
import { trace } from "./trace.ts";
import { traceBodies } from "./trace-bodies.ts";
import { traceCalls } from "./trace-calls.ts";
import { traceValues } from "./trace-values.ts";

/** Every case, in the order in which they run. */
export const cases: readonly Case[] = [
  ...health,
  ...graph,
  ...guard,
  ...devtools,
  ...devtoolsRoutes,
  ...devtoolsPage,
  ...trace,
  ...traceBodies,
  ...traceCalls,
  ...traceValues,
  ...stream,
];

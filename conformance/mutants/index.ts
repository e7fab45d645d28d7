/** Every mutant, chapter by chapter. */
import type { Mutant } from "../kit/mutant.ts";
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

/** Every mutant. */
export const mutants: readonly Mutant[] = [
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

/** Every mutant, chapter by chapter. */
import type { Mutant } from "../kit/mutant.ts";
import { devtools } from "./devtools.ts";
import { devtoolsPage } from "./devtools-page.ts";
import { devtoolsRoutes } from "./devtools-routes.ts";
import { graph } from "./graph.ts";
import { guard } from "./guard.ts";
import { health } from "./health.ts";

/** Every mutant. */
export const mutants: readonly Mutant[] = [
  ...health,
  ...graph,
  ...guard,
  ...devtools,
  ...devtoolsRoutes,
  ...devtoolsPage,
];

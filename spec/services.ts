/**
 * Services: a run as the devtools of another application read it.
 */
import { Type } from "typebox";
import { BeanGraph } from "./graph.ts";
import { Trace } from "./trace.ts";
import { within } from "./within.ts";

/** One run with its graph, for a reader in another application. */
export const ServiceRun = Type.Object(
  {
    /** The name of the application. */
    name: Type.String({ minLength: 1 }),
    trace: within(Trace),
    graph: within(BeanGraph),
  },
  { $id: "ServiceRun" },
);

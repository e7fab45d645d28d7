/**
 * Services: a run as another application's devtools read it.
 */
import { Type } from "typebox";
import { BeanGraph } from "./graph.ts";
import { Trace } from "./trace.ts";
import { within } from "./within.ts";

/** One run with the graph that it ran in, for a reader in another application. */
export const ServiceRun = Type.Object(
  {
    /** What the application is called. */
    name: Type.String({ minLength: 1 }),
    trace: within(Trace),
    graph: within(BeanGraph),
  },
  { $id: "ServiceRun" },
);

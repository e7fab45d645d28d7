/** The rows of `make slow`: slow clients, stops, streams, storms. */
import type { Measurement } from "../rows.ts";
import { attacks } from "./attacks.ts";
import { cycles } from "./cycles.ts";
import { reconnects } from "./reconnects.ts";
import { secondSignal, stopUnderLoad } from "./stop.ts";
import { healthStorm, payloadBomb } from "./storms.ts";
import { events } from "./streams.ts";

/** What `make slow` measures. */
export const slowRows: Readonly<Record<string, Measurement>> = {
  attacks,
  stop: stopUnderLoad,
  "second signal": secondSignal,
  cycles,
  events,
  reconnects,
  health: healthStorm,
  payload: payloadBomb,
};

/**
 * The messages of a WebSocket that the application recorded, from the runs of its handlers. Pure.
 *
 *   the run of the handshake, all kept runs ──▶ open · message · message · close, in their order
 */

import type { Json, Trace } from "../../run/shapes.ts";
import { duration } from "../../run/format.ts";
import { isNumber, textOf } from "../../run/values.ts";
import { objectOf } from "../forms/schema.ts";
import { type ItemLog, NO_ITEMS, withItems } from "./item-log.ts";

/** The kept runs of this connection's handlers. `about` is the value of its annotation. */
export function socketRuns(
  { instance, run, startedAt }: Trace,
  traces: readonly Trace[],
  about: Json,
): { readonly log: ItemLog; readonly missing: number; readonly sentBytes: number } {
  const own = traces
    .filter((one) => one.instance === instance && one.connection === run)
    .toSorted((a, b) => (a.run ?? 0) - (b.run ?? 0));
  const items = own.map((one) => ({
    name: one.event ?? "",
    text: one.request.body === null ? "" : textOf(one.request.body),
    value: one.request.body,
    time: `+${duration(Math.max(0, one.startedAt - startedAt) * 1_000)}`,
    run: one,
  }));
  const { messages, sentBytes } = objectOf(about);
  const kept = own.filter(({ event }) => event === "message").length;
  const of = (value: Json | undefined): number => (isNumber(value) ? value : 0);
  return { log: withItems(NO_ITEMS, items), missing: Math.max(0, of(messages) - kept), sentBytes: of(sentBytes) };
}

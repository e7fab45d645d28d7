/**
 * A log of what came one by one: the events or rows of a stream, the messages of a WebSocket. Pure.
 *
 *   withItems(log, new ones) ──▶ numbered, the newest 1,000 kept, all counted
 */

import { isLike } from "../forms/like.ts";
import type { ContractPart, ContractResponse, Json, Trace } from "../../run/shapes.ts";
import type { StreamEvent } from "../../run/event-stream.ts";
import { duration } from "../../run/format.ts";
import { jsonOf } from "../../run/values.ts";
import { REDACTED } from "../../run/wire.ts";

/** An event, a row or a message. */
export interface LogItem {
  /** 1 for the first. */
  readonly number: number;
  /** The name of the event, or the direction of the message. Empty for a row. */
  readonly name: string;
  readonly id?: string | undefined;
  readonly text: string;
  /** The recorded value, if it was not recorded as text. */
  readonly value?: Json | undefined;
  /** When it came. */
  readonly time?: string | undefined;
  /** The run that handled it. */
  readonly run?: Trace | undefined;
}

/** The newest items. */
export interface ItemLog {
  readonly items: readonly LogItem[];
  /** The number of all. */
  readonly count: number;
}

/** The most items that are kept. */
export const MAX_ITEMS = 1_000;
/** A log without items. */
export const NO_ITEMS: ItemLog = { items: [], count: 0 };

/** The log with these items at its end. */
export const withItems = ({ items, count }: ItemLog, added: readonly Omit<LogItem, "number">[]): ItemLog => ({
  items: [...items, ...added.map((one, at) => ({ ...one, number: count + at + 1 }))].slice(-MAX_ITEMS),
  count: count + added.length,
});

/** The log with these events or rows, which came `us` microseconds after the start. */
export const withEvents = (log: ItemLog, events: readonly StreamEvent[], us?: number): ItemLog =>
  withItems(
    log,
    events.map(({ event, id, data }) => ({
      name: event,
      id,
      text: data,
      time: us === undefined ? undefined : `+${duration(us)}`,
    })),
  );

/** How an event or a row breaks the declared response; undefined if it does not, as far as this page can tell. */
export function faultOf(declared: ContractResponse | null | undefined, item: LogItem): string | undefined {
  if (declared?.kind === "stream") return misfit(declared, item);
  const { events } = declared ?? {};
  if (!events) return undefined;
  return Object.hasOwn(events, item.name) ? misfit(events[item.name], item) : "not declared";
}

/** How an item breaks its schema. A recorded value that is hidden or cut cannot be compared. */
export function misfit(part: ContractPart | undefined, { text }: LogItem): string | undefined {
  const schema = part?.schema;
  if (!schema || text.includes(REDACTED) || text.includes('"$') || isLike(schema, schema, jsonOf(text)))
    return undefined;
  return "breaks its schema";
}

/** A declared response in words: its kind and its media type. */
export function responseWords(declared: ContractResponse | null): string {
  if (!declared || declared.kind === "empty") return "no content";
  const { kind = "JSON", type, schema } = declared;
  return [kind === "stream" && schema ? "rows" : kind, type].filter(Boolean).join(", ");
}

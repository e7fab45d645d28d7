/** Faults of the stream of traces: each kind of item is lost, repeated, late, or has another name or id. */
import type { StreamItem } from "../kit/event-stream.ts";
import type { StreamStep } from "../kit/exchange.ts";
import type { RelayedItem } from "../kit/relay.ts";
import { nothing, type Fault } from "./fault.ts";

/** The kind of an item, which is the name of an event. */
export const kindOf = ({ kind, event }: StreamItem): string =>
  kind === "event" ? `event ${event ?? "message"}` : kind;

const changes: Readonly<Record<string, (item: StreamItem, index: number) => readonly RelayedItem[]>> = {
  lost: () => [],
  twice: (item) => [item, item],
  "lost now and then": (item, index) => (index % 3 === 2 ? [] : [item]),
  late: (item) => [{ ...item, delayMs: 5_000 }],
  "under another name": (item) => [item.event === undefined ? item : { ...item, event: `${item.event}s` }],
  "without a name": (item) => [item.event === undefined ? item : without(item, "event")],
  "without an id": (item) => [item.id === undefined ? item : without(item, "id")],
  "under another id": (item) => [item.id === undefined ? item : { ...item, id: `${item.id}0` }],
  "without data": (item) => [item.data === "" ? item : { ...item, data: "" }],
};

/** Every fault of the received items. */
export function faultsOfStreams(seen: readonly StreamStep[]): readonly Fault[] {
  const targets = [...new Set(seen.map(({ item }) => kindOf(item)))].toSorted();
  return targets.flatMap((target) =>
    Object.entries(changes).map(([kind, change]) => ({
      chapter: "stream",
      target,
      kind,
      ...nothing,
      rewriteItem: ({ item, index }: StreamStep): readonly RelayedItem[] =>
        kindOf(item) === target ? change(item, index) : [item],
    })),
  );
}

function without(item: StreamItem, name: "event" | "id"): StreamItem {
  return { ...item, [name]: undefined };
}

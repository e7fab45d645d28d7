/** The stream of traces as a case reads it: opened under a mark, read until the event of one request. */
import { Type, type Static } from "typebox";
import { Gap, Started } from "../../spec/stream.ts";
import { streamPath } from "./devtools.ts";
import type { StreamItem } from "./event-stream.ts";
import type { Probe } from "./probe.ts";
import { plainJson } from "./response.ts";
import type { EventStream } from "./stream.ts";
import { Violation } from "./violation.ts";

const WithPath = Type.Object({ path: Type.String() });

/** An event in short: the path of a trace, or the number of a gap. */
export interface EventSummary {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly what: string | number | null;
}

/**
 * Opens the stream, with `?about=<mark>` so that a mutant can tell it from others, and a `Last-Event-ID` where
 * one is given. Waits for a place while those of earlier cases are given back; a Violation when there is none.
 */
export async function listen(probe: Probe, mark: string, lastEventId?: string): Promise<EventStream> {
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  return probe.eventually("a place at the stream", async () => {
    const stream = await probe.stream(`${streamPath}?about=${mark}`, { headers });
    return stream.response.status === 503 ? undefined : stream;
  });
}

/** Everything that comes up to the event about `path`, it included; that it had begun is not yet that. */
export async function itemsUntil(stream: EventStream, path: string): Promise<readonly StreamItem[]> {
  const items: StreamItem[] = [];
  await stream.next(`the event of ${path}`, (item) => {
    items.push(item);
    if (items.length > 1_000) throw new Violation(`1,000 items came before the event of ${path}`);
    return item.kind === "event" && item.event !== "started" && plainJson(item.data).includes(`"${path}"`);
  });
  return items;
}

/** What the stream told of runs under way on that path, before their trace. */
export async function startedUntil(
  probe: Probe,
  stream: EventStream,
  path: string,
): Promise<readonly Static<typeof Started>[]> {
  const items = await itemsUntil(stream, path);
  return items
    .filter(({ event }) => event === "started")
    .map(({ data }) => probe.parse("what is under way", Started, data))
    .filter((run) => run.path === path);
}

/** Traces and gaps up to the trace of `path`, each in short; not what else a later release tells, nor runs under way. */
export async function eventsUntil(probe: Probe, stream: EventStream, path: string): Promise<readonly EventSummary[]> {
  const items = await itemsUntil(stream, path);
  return items
    .filter(({ kind, event }) => kind === "event" && (event === "trace" || event === "gap"))
    .map(({ event, id, data }) => {
      const what =
        event === "gap" ? probe.parse("the gap", Gap, data).missed : probe.parse("the data", WithPath, data).path;
      return { event, id, what };
    });
}

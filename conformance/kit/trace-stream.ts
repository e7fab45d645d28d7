/** The stream of traces as a case reads it: opened with a mark, and read until the event of one request. */
import { Type, type Static } from "typebox";
import { Gap, Started } from "../../spec/stream.ts";
import { streamPath } from "./devtools.ts";
import type { StreamItem } from "./event-stream.ts";
import type { Probe } from "./probe.ts";
import { plainJson } from "./response.ts";
import type { EventStream } from "./stream.ts";
import { Violation } from "./violation.ts";

const WithPath = Type.Object({ path: Type.String() });

/** An event, in brief: the path of a trace, or the number of a gap. */
export interface EventSummary {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly what: string | number | null;
}

/**
 * Opens the stream, with `?about=<mark>` so that a mutant can recognize it, and with a `Last-Event-ID` if one is given.
 * Waits until the streams of earlier cases are closed. Throws a Violation if no connection becomes free.
 */
export async function listen(probe: Probe, mark: string, lastEventId?: string): Promise<EventStream> {
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  return probe.eventually("a place at the stream", async () => {
    const stream = await probe.stream(`${streamPath}?about=${mark}`, { headers });
    return stream.response.status === 503 ? undefined : stream;
  });
}

/** All items up to and including the event about `path`. A `started` event does not count as that event. */
export async function itemsUntil(stream: EventStream, path: string): Promise<readonly StreamItem[]> {
  const items: StreamItem[] = [];
  await stream.next(`the event of ${path}`, (item) => {
    items.push(item);
    if (items.length > 1_000) throw new Violation(`1,000 items came before the event of ${path}`);
    return item.kind === "event" && item.event !== "started" && plainJson(item.data).includes(`"${path}"`);
  });
  return items;
}

/** The stream's events about runs in progress on that path, before their trace. */
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

/** Traces and gaps up to the trace of `path`, in brief, without other events and without runs in progress. */
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

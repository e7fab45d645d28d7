/** The stream of traces over HTTP. Spec: stream.md (STREAM). */
import { Trace } from "../../spec/trace.ts";
import { proves } from "../kit/case.ts";
import { Problem, streamPath } from "../kit/devtools.ts";
import type { Probe } from "../kit/probe.ts";
import { eventsUntil, itemsUntil, listen, startedUntil } from "../kit/trace-stream.ts";
import { traced, traceWhere, visit } from "../kit/traces.ts";

/** A unique path. */
const somewhere = (probe: Probe): string => `/users/${probe.token()}`;

/** Sends a request. Resolves with the id of its event as soon as its trace exists. */
async function visitedAs(probe: Probe, path: string): Promise<string> {
  const { instance, sequence } = (await traced(probe, "GET", path)).trace;
  return `${instance}.${sequence}`;
}

/** The cases of this chapter. */
export const stream = [
  proves("STREAM-001", "responds with an event stream", async (probe) => {
    const { response } = await listen(probe, "head");
    const type = response.type;
    probe.equal("status and type", [response.status, type], [200, "text/event-stream"]);
  }),

  proves("STREAM-002", "sends each trace, in order", async (probe) => {
    const paths = [somewhere(probe), somewhere(probe), somewhere(probe)];
    const open = await listen(probe, "each");
    for (const path of paths) await visit(probe, path);
    const events = await eventsUntil(probe, open, paths[2] ?? "");
    probe.equal(
      "the events",
      events.map(({ event, what }) => [event, what]),
      paths.map((path) => ["trace", path]),
    );
  }),

  proves("STREAM-003", "sends the trace that the list shows, on one line", async (probe) => {
    const path = somewhere(probe);
    const open = await listen(probe, "data");
    await probe.send("GET", path);
    const data = (await itemsUntil(open, path)).at(-1)?.data ?? "";
    const seen = { lines: data.split("\n").length, trace: probe.parse("the data", Trace, data) };
    const trace = await traceWhere(probe, (listed) => listed.path === path);
    probe.equal("the data", seen, { lines: 1, trace });
  }),

  proves("STREAM-004", "gives each event the instance and the sequence as its id", async (probe) => {
    const path = somewhere(probe);
    const open = await listen(probe, "id");
    const id = await visitedAs(probe, path);
    probe.equal("the id", (await itemsUntil(open, path)).at(-1)?.id, id);
  }),

  proves("STREAM-005", "sends a comment before anything happens", async (probe) => {
    const path = somewhere(probe);
    const open = await listen(probe, "comment");
    await visit(probe, path);
    const comments = (await itemsUntil(open, path)).filter(({ kind }) => kind === "comment");
    probe.ok("a comment came before the first event", comments.length > 0);
  }),

  proves("STREAM-007", "asks its clients to reconnect after a second", async (probe) => {
    const path = somewhere(probe);
    const open = await listen(probe, "retry");
    await visit(probe, path);
    const retries = (await itemsUntil(open, path)).filter(({ kind }) => kind === "retry").map(({ data }) => data);
    probe.equal("the retries", [...new Set(retries)], ["1000"]);
  }),

  proves("STREAM-008", "replays nothing to a new client", async (probe) => {
    const [before, after] = [somewhere(probe), somewhere(probe)];
    await visit(probe, before);
    const open = await listen(probe, "new");
    await visit(probe, after);
    probe.equal(
      "the events",
      (await eventsUntil(probe, open, after)).map(({ what }) => what),
      [after],
    );
  }),

  proves("STREAM-009", "replays the traces after Last-Event-ID, oldest first", async (probe) => {
    const seen = await visitedAs(probe, somewhere(probe));
    const missed = [somewhere(probe), somewhere(probe)];
    const ids: string[] = [];
    for (const path of missed) ids.push(await visitedAs(probe, path));
    const open = await listen(probe, "again", seen);
    const events = await eventsUntil(probe, open, missed[1] ?? "");
    probe.equal(
      "the ids",
      events.map(({ id }) => id),
      ids,
    );
  }),

  proves("STREAM-010", "sends a client of another instance a gap and then everything, oldest first", async (probe) => {
    await probe.reset();
    const held = [somewhere(probe), somewhere(probe)];
    for (const path of held) await visit(probe, path);
    const open = await listen(probe, "foreign", "another-instance.7");
    const events = (await eventsUntil(probe, open, held[1] ?? "")).map(({ event, what }) => [event, what]);
    probe.equal("the events", events, [["gap", null], ...held.map((path) => ["trace", path])]);
  }),

  proves("STREAM-011", "reports how many traces a client can no longer get", async (probe) => {
    const seen = await visitedAs(probe, somewhere(probe));
    for (const path of [somewhere(probe), somewhere(probe)]) await visit(probe, path);
    await probe.reset();
    const held = somewhere(probe);
    await visit(probe, held);
    const open = await listen(probe, "gap", seen);
    const events = (await eventsUntil(probe, open, held)).map(({ event, what }) => [event, what]);
    probe.equal("the events", events, [
      ["gap", 2],
      ["trace", held],
    ]);
  }),

  proves("STREAM-016", "reports a request in progress, with the number of its trace", async (probe) => {
    const path = "/slow/703";
    const open = await listen(probe, "started");
    const [{ trace }, [first]] = await Promise.all([traced(probe, "GET", path), startedUntil(probe, open, path)]);
    probe.equal(
      "what was told first",
      [first?.instance, first?.run, first?.method, first?.correlationId],
      [trace.instance, trace.run, "GET", trace.correlationId],
    );
  }),

  proves("STREAM-017", "reports the request in progress, its start, and its unsettled calls", async (probe) => {
    const path = "/slow/705";
    const open = await listen(probe, "under-way");
    const [{ trace }, [first]] = await Promise.all([traced(probe, "GET", path), startedUntil(probe, open, path)]);
    const { kind, route, startedAt, calls, pending, elapsedUs = 0 } = first ?? {};
    probe.equal(
      "what was told first",
      { kind, route, startedAt, calls, pending, elapsed: elapsedUs >= 100_000 && elapsedUs <= trace.durationUs },
      { kind: "request", route: "/slow/{ms}", startedAt: trace.startedAt, calls: 0, pending: [], elapsed: true },
    );
  }),

  proves("STREAM-019", "reports how long the request has taken so far", async (probe) => {
    const path = "/slow/406";
    const open = await listen(probe, "elapsed");
    const [{ trace }, [first]] = await Promise.all([traced(probe, "GET", path), startedUntil(probe, open, path)]);
    const { elapsedUs = Number.NaN } = first ?? {};
    // The event is sent after a tenth of a second, well before the end.
    const seen = [elapsedUs >= 95_000, elapsedUs <= trace.durationUs];
    probe.equal("whether it is at least the tenth of a second, and not more than the whole", seen, [true, true]);
  }),

  proves("STREAM-014", "rejects the 17th client", async (probe) => {
    const open = [];
    for (let client = 1; client <= 16; client += 1) open.push(await listen(probe, `client-${client}`));
    const response = await probe.send("GET", streamPath);
    for (const client of open) client.close();
    const { status } = probe.json(Problem, response);
    const seen = [response.status, response.type, /^\d+$/.test(response.header("retry-after") ?? ""), status];
    probe.equal("status, type, Retry-After and the Problem's status", seen, [
      503,
      "application/problem+json",
      true,
      503,
    ]);
  }),
];

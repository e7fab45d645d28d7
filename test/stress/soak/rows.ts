/**
 * The rows of `make soak`: one long run, observed from two sides.
 *
 *   64 clients ──▶ subject ──▶ log lines, metrics, spans, traces      all must report the same requests, once each
 *                     └─ heap, handles, listeners                      and leave nothing behind
 *
 * It also has rows for large bodies, which must not be in memory (large.ts).
 */
import { grouped, type Figure, type Group } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess, type SubjectState } from "../subject/child.ts";
import { Fingerprint } from "../subject/seen.ts";
import { Client, wires, type Wire } from "../wires.ts";
import { largeRows } from "./large.ts";
import { load } from "./load.ts";

/** One is enough: observers see the same on every engine, and the other verbs test them all. */
const [wire] = wires as readonly [Wire];

async function soak(settings: Settings) {
  const target = settings.amount(1_000_000, 20_000);
  const deadline = performance.now() + settings.seconds(1_800, 60) * 1_000;
  const subject = await SubjectProcess.start(settings, wire.engine);
  const start = await subject.ask("state");
  const traces = await collect(subject.port);
  const client = new Client(wire, subject.port, 64);
  const settled = (): Promise<SubjectState> =>
    subject.stateWhen(({ lines, spans, entered }) =>
      [lines.count, spans.count, traces.seen.count + traces.missed].every((count) => count >= entered.count),
    );
  const first = await load(client, 0, Math.ceil(target / 10), settings.seed, deadline);
  const early = await settled();
  const second = await load(client, first.next, target, settings.seed, deadline);
  client.close();
  const end = await settled();
  traces.close();
  const { open } = await subject.stateWhen((state) => state.open === start.open);
  await subject.stop();
  return { target, first, second, traces, start, early, end: { ...end, open } };
}

/** Counts the traces of devtools' stream and checks their calls, until it is closed. */
async function collect(port: number) {
  const client = new Client(wire, port);
  const found = { seen: new Fingerprint(), missed: 0, mixed: 0, close: () => client.close() };
  const { body } = await client.ask({ path: "/framework/dev/api/stream" });
  let rest = "";
  body.setEncoding("utf8").on("data", (chunk: string) => {
    const events = (rest + chunk).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? "{}") as Partial<Trace>;
      if (event.startsWith("event: gap")) found.missed += data.missed ?? 1;
      if (data.path === undefined || event.startsWith("event: started")) continue;
      found.seen.add(data.path, data.id);
      if (data.calls?.some(({ args }) => !data.path?.endsWith(`/${String(args[0])}`)) === true) found.mixed += 1;
    }
  });
  return found;
}

interface Trace {
  readonly path: string;
  readonly id: string;
  readonly calls: readonly { readonly args: readonly unknown[] }[];
  readonly missed: number | null;
}

type Soaked = Awaited<ReturnType<typeof soak>>;

function nothingLost({ target, first, second, traces, end }: Soaked): Figure {
  const observers = [end.lines, end.spans, traces.seen];
  const other = observers.filter((seen) => Fingerprint.of(seen) !== Fingerprint.of(end.entered)).length;
  const mixed = observers.reduce((sum, { misattributed }) => sum + misattributed, traces.mixed);
  const wrong = [...first.wrong, ...second.wrong, ...end.unhandled];
  const counts = [end.entered.count, end.lines.count, end.measured, end.spans.count, traces.seen.count].map(grouped);
  return {
    figure:
      `${grouped(second.next)} sent, ${grouped(first.responded + second.responded)} responded, ${grouped(first.aborted + second.aborted)} given up: ` +
      `requests = lines = metrics = spans = traces: ${counts.join(" = ")}; ${other} observers saw others, ${mixed} misattributed, ` +
      `${wrong.length} wrong responses ${wrong.slice(0, 3).join(" ")}`,
    target: `${grouped(target)} requests, all equal, 0 others, misattributed or wrong`,
    met: other + mixed + wrong.length === 0 && end.measured === end.entered.count && second.next >= target,
  };
}

function memory({ target, early, end }: Soaked): Figure {
  const [before, after] = [early.heapBytes / 1_048_576, end.heapBytes / 1_048_576];
  return {
    figure: `heap after collection ${before.toFixed(1)} MiB at ${grouped(Math.ceil(target / 10))}, ${after.toFixed(1)} MiB at ${grouped(target)}`,
    target: "grown by 5 MiB at most",
    met: after <= before + 5,
  };
}

const leftovers = ({ start, end }: Soaked): Figure => ({
  figure: `at the start ${start.open}, at the end ${end.open}`,
  target: "the same",
  met: start.open === end.open,
});

/** The measurements of `make soak`. */
export function soakRows(settings: Settings): readonly Group[] {
  let running: Promise<Soaked> | undefined;
  const from = (look: (soaked: Soaked) => Figure) => async () => look(await (running ??= soak(settings)));
  const lasting = { "nothing lost": from(nothingLost), memory: from(memory), "handles and listeners": from(leftovers) };
  return [lasting, largeRows(settings)];
}

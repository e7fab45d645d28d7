/**
 * The rows of `make soak`: one long run, seen from two sides.
 *
 *   64 clients ──▶ subject ──▶ log lines, metrics, spans, traces      all must tell of the same requests, once each
 *                     └─ heap, handles, listeners                      and leave nothing behind
 */
import { grouped, type Measurement, type Row } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess } from "../subject/child.ts";
import type { Comparison, SubjectState } from "../subject/state.ts";
import { stateWhen } from "../subject/waiting.ts";
import { TraceCollector } from "./collector.ts";
import { load, type Outcome } from "./load.ts";

interface Soaked {
  readonly target: number;
  readonly sent: number;
  readonly outcome: Outcome;
  readonly collector: TraceCollector;
  readonly comparison: Comparison;
  readonly start: SubjectState;
  readonly early: SubjectState;
  readonly end: SubjectState;
}

let soaked: Promise<Soaked> | undefined;
const once = (settings: Settings): Promise<Soaked> => (soaked ??= soak(settings));

async function soak(settings: Settings): Promise<Soaked> {
  const target = settings.amount(1_000_000, 20_000);
  const deadline = performance.now() + settings.seconds(1_800, 60) * 1_000;
  const subject = await SubjectProcess.start(settings, {}, target);
  const start = await subject.state();
  const collector = new TraceCollector(subject.port, target);
  await collector.connected;
  const first = await load(subject.port, 0, Math.ceil(target / 10), settings.seed, deadline);
  const early = await settled(subject, collector);
  const second = await load(subject.port, first.next, target, settings.seed, deadline);
  const end = await settled(subject, collector);
  const comparison = await subject.compare(collector.traces);
  collector.close();
  const left = await quiet(subject, start);
  await subject.stop();
  const outcome = {
    answered: first.answered + second.answered,
    aborted: first.aborted + second.aborted,
    wrong: [...first.wrong, ...second.wrong],
  };
  return {
    target,
    sent: second.next,
    outcome,
    collector,
    comparison,
    start,
    early,
    end: { ...end, handles: left.handles, listeners: left.listeners },
  };
}

/** The state once every request that entered is over and its trace has come; at most ten seconds later. */
async function settled(subject: SubjectProcess, collector: TraceCollector): Promise<SubjectState> {
  const isOver = (state: SubjectState): boolean =>
    state.lines === state.entered &&
    state.spans === state.entered &&
    collector.total + collector.missed >= state.entered;
  return await stateWhen(subject, isOver);
}

/** The state once only the handles of the start are left; at most ten seconds later. */
const quiet = (subject: SubjectProcess, start: SubjectState): Promise<SubjectState> =>
  stateWhen(subject, ({ handles }) => JSON.stringify(handles) === JSON.stringify(start.handles));

async function nothingLost(settings: Settings): Promise<Row> {
  const { target, sent, outcome, collector, comparison, end } = await once(settings);
  const { entered, lines, measured, spans } = end;
  const isEqual = [lines, measured, spans, collector.total].every((count) => count === entered);
  const { lost, repeated } = comparison;
  const misattributed = comparison.misattributed + collector.misattributed;
  const isSound = lost + repeated + misattributed + outcome.wrong.length + end.unhandled.length === 0;
  return {
    name: "nothing lost",
    figure:
      `${grouped(sent)} sent, ${grouped(outcome.answered)} answered, ${grouped(outcome.aborted)} given up: ` +
      `${grouped(entered)} requests = ${grouped(lines)} lines = ${grouped(measured)} metrics = ${grouped(spans)} spans = ` +
      `${grouped(collector.total)} traces; ${lost} lost, ${repeated} repeated, ${misattributed} misattributed, ` +
      `${outcome.wrong.length} wrong answers ${[...outcome.wrong, ...end.unhandled].slice(0, 3).join(" ")}`.trimEnd(),
    target: `${grouped(target)} requests, all equal, 0 lost, repeated, misattributed or wrong`,
    met: isEqual && isSound && sent >= target,
  };
}

async function memory(settings: Settings): Promise<Row> {
  const { target, early, end } = await once(settings);
  const [before, after] = [early.heapBytes / 1_048_576, end.heapBytes / 1_048_576];
  return {
    name: "memory",
    figure: `heap after collection ${before.toFixed(1)} MiB at ${grouped(Math.ceil(target / 10))}, ${after.toFixed(1)} MiB at ${grouped(target)}`,
    target: "grown by 5 MiB at most",
    met: after <= before + 5,
  };
}

async function leftovers(settings: Settings): Promise<Row> {
  const { start, end } = await once(settings);
  const [before, after] = [start, end].map(({ handles, listeners }) => JSON.stringify([handles, listeners]));
  return {
    name: "handles and listeners",
    figure: `at the start ${before}, at the end ${after}`,
    target: "the same",
    met: before === after,
  };
}

/** What `make soak` measures. */
export const soakRows: Readonly<Record<string, Measurement>> = { lost: nothingLost, memory, leftovers };

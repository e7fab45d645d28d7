/**
 * Run profile: V8's samples of a run, each at the call that was executed then.
 *
 *   sample ──▶ at(its time) ──▶ call ──▶ its stack, without frames of Node and devtools ──▶ lines, stacks
 *   allocation ──▶ its stack ──▶ the innermost line of the application's own
 *
 * A line stands for the time of everything below it that is not of the application's own, such as JSON.parse or a library.
 */
import { findSourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import type { Stacks } from "../../capture/stacks.ts";
import type { ProfiledLine, RunProfile, StackFrame } from "../../run/shapes.ts";
import type { Activity } from "./activity.ts";
import { INTERVAL_US, type Sampled, type SampledAllocation, type SampledFrame, type SampledNode } from "./sampler.ts";

const most = { lines: 100, stacks: 100, frames: 30, allocations: 50 } as const;

/** A run's time on the clock of `performance.now()`. */
interface Span {
  readonly startedAt: number;
  readonly endedAt: number;
}

type Place = Pick<StackFrame, "name" | "file" | "line">;

/** The profile of one run. */
export function runProfile(sampled: Sampled, activity: Activity, span: Span, stacks: Stacks): RunProfile {
  const { time, originUs, allocation, functions } = sampled;
  const own = new OwnPlaces(stacks);
  const places = new Places(time.nodes, own, functions);
  const [lines, paths] = [new Sums<ProfiledLine>(), new Sums<RunProfile["stacks"][number]>()];
  let [us, ownUs, otherUs] = [time.startTime, 0, 0];
  for (const [at, id] of time.samples.entries()) {
    us += time.timeDeltas[at] ?? 0;
    const ms = (us - originUs) / 1_000;
    if (ms < span.startedAt || ms > span.endedAt || places.isIdle(id)) continue;
    const { executing: call, untilMs } = activity.at(ms);
    // A sampler that gets no processor leaves a gap. A sample stands for what goes on after it, not for what began in the gap.
    const took = Math.max(0, Math.min(time.timeDeltas[at + 1] ?? INTERVAL_US, 1_000 * (untilMs - ms)));
    const path = call === undefined ? undefined : places.pathOf(id);
    if (call === undefined || path === undefined) {
      otherUs += took;
      continue;
    }
    ownUs += took;
    addTo(lines, paths, { call, path, shares: places.linesOf(id), us: took });
  }
  return {
    intervalUs: INTERVAL_US,
    ownUs: Math.round(ownUs),
    otherUs: Math.round(otherUs),
    lines: lines.largest(most.lines),
    stacks: paths.largest(most.stacks),
    allocations: allocationsOf(allocation, own),
  };
}

interface Sample {
  readonly call: number | null;
  readonly path: readonly Place[];
  readonly shares: readonly (readonly [place: Place, share: number])[];
  readonly us: number;
}

function addTo(
  lines: Sums<ProfiledLine>,
  paths: Sums<RunProfile["stacks"][number]>,
  { call, path, shares, us }: Sample,
): void {
  for (const [place, share] of shares)
    lines.add(`${call} ${place.file}:${place.line} ${place.name}`, us * share, (sum) => ({ call, ...place, us: sum }));
  const frames = path.slice(0, most.frames);
  const key = frames.map(({ name, file, line }) => `${name} ${file}:${line}`).join("\n");
  paths.add(`${call} ${key}`, us, (sum) => ({ call, frames, us: sum }));
}

/** Sums by key, and what each of them is. */
class Sums<T> {
  readonly #sums = new Map<string, { sum: number; readonly make: (sum: number) => T }>();

  add(key: string, value: number, make: (sum: number) => T): void {
    const known = this.#sums.get(key);
    if (known === undefined) this.#sums.set(key, { sum: value, make });
    else known.sum += value;
  }

  largest(count: number): T[] {
    return [...this.#sums.values()]
      .toSorted((a, b) => b.sum - a.sum)
      .slice(0, count)
      .map(({ sum, make }) => make(Math.round(sum)));
  }
}

/** The nodes of a profile as places in files. */
class Places {
  readonly #nodes: ReadonlyMap<number, SampledNode>;
  readonly #parents = new Map<number, number>();
  readonly #paths = new Map<number, readonly SampledNode[] | undefined>();
  readonly #own: OwnPlaces;
  readonly #functions: Sampled["functions"];

  constructor(nodes: readonly SampledNode[], own: OwnPlaces, functions: Sampled["functions"]) {
    this.#functions = functions;
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    for (const { id, children = [] } of nodes) for (const child of children) this.#parents.set(child, id);
    this.#own = own;
  }

  isIdle(id: number): boolean {
    return this.#nodes.get(id)?.callFrame.functionName === "(idle)";
  }

  /** The application's own frames, the outermost first. Undefined for devtools' own work. */
  pathOf(id: number): readonly Place[] | undefined {
    const own = this.#ownOf(id);
    return own?.map((node) => this.#own.of(node.callFrame) ?? unnamed(node.callFrame));
  }

  /** The lines of the innermost frame of the application's own, and the share of each. */
  linesOf(id: number): readonly (readonly [Place, number])[] {
    const innermost = this.#ownOf(id)?.at(-1);
    if (innermost === undefined) return [[unnamed(this.#nodes.get(id)?.callFrame), 1]];
    const { callFrame } = innermost;
    const ticks = this.#ticksOf(innermost);
    const total = ticks.reduce((sum, one) => sum + one.ticks, 0);
    const fallback = this.#own.of(callFrame) ?? unnamed(callFrame);
    if (total === 0) return [[fallback, 1]];
    return ticks.map(({ line, ticks: count }) => [
      this.#own.of({ ...callFrame, lineNumber: line - 1, columnNumber: END_OF_LINE }) ?? fallback,
      count / total,
    ]);
  }

  /** Without the lines of other functions, which V8 has inlined. */
  #ticksOf({ callFrame, positionTicks = [] }: SampledNode): NonNullable<SampledNode["positionTicks"]> {
    const { functionName, lineNumber, scriptId } = callFrame;
    const own = this.#functions
      .get(scriptId)
      ?.find(({ name, first }) => first === lineNumber && (name === functionName || functionName.endsWith(name)));
    return own === undefined ? [] : positionTicks.filter(({ line }) => line - 1 >= own.first && line - 1 <= own.last);
  }

  #ownOf(id: number): readonly SampledNode[] | undefined {
    if (this.#paths.has(id)) return this.#paths.get(id);
    const path: SampledNode[] = [];
    for (let at: number | undefined = id; at !== undefined; at = this.#parents.get(at)) {
      const node = this.#nodes.get(at);
      if (node !== undefined) path.unshift(node);
    }
    const innermost = path.findLast(({ callFrame }) => callFrame.url !== "" && !callFrame.url.startsWith("node:"));
    const isOurs = innermost !== undefined && innermost.callFrame.url.startsWith(ownFolder);
    const own = isOurs ? undefined : path.filter(({ callFrame }) => this.#own.of(callFrame) !== undefined);
    this.#paths.set(id, own);
    return own;
  }
}

/** The folder of devtools. */
const ownFolder = new URL("../..", import.meta.url).href;
/** Compiled code has one statement on a line, whose mappings end here. */
const END_OF_LINE = 1_000_000;

/** Frames in files of the application's own, in their source. */
class OwnPlaces {
  readonly #stacks: Stacks;
  readonly #known = new Map<string, Place | undefined>();

  constructor(stacks: Stacks) {
    this.#stacks = stacks;
  }

  of(frame: SampledFrame): Place | undefined {
    const { url, functionName, lineNumber, columnNumber } = frame;
    if (!url.startsWith("file://")) return undefined;
    const key = `${url}:${lineNumber}:${columnNumber} ${functionName}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#find(frame));
    return this.#known.get(key);
  }

  #find({ functionName, url, lineNumber, columnNumber }: SampledFrame): Place | undefined {
    const found: { readonly originalSource?: string; readonly originalLine?: number } =
      findSourceMap(url)?.findEntry(lineNumber, columnNumber) ?? {};
    const { originalSource = url, originalLine = lineNumber } = found;
    const place = {
      name: functionName || "(anonymous)",
      file: fileOf(originalSource),
      line: originalLine + 1,
      column: 1,
    };
    const { own, name, file, line } = this.#stacks.frameOf(place);
    return own ? { name, file, line } : undefined;
  }
}

const fileOf = (url: string): string => (url.startsWith("file://") ? fileURLToPath(url) : url);

const unnamed = (frame: SampledFrame | undefined): Place => ({
  name: frame?.functionName || "(anonymous)",
  file: "",
  line: 0,
});

/** The lines that allocated most. */
function allocationsOf(head: SampledAllocation, own: OwnPlaces): RunProfile["allocations"] {
  const sums = new Sums<RunProfile["allocations"][number]>();
  const visit = ({ callFrame, selfSize, children }: SampledAllocation, around: Place | undefined): void => {
    const place = own.of(callFrame) ?? around;
    if (selfSize > 0 && place !== undefined)
      sums.add(`${place.file}:${place.line} ${place.name}`, selfSize, (bytes) => ({ ...place, bytes }));
    for (const child of children) visit(child, place);
  };
  visit(head, undefined);
  return sums.largest(most.allocations);
}

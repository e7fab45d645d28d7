/**
 * A file of spans as runs: one for each span whose parent is not in it, and the runs of other services that they led to. Pure.
 *
 *   { resourceSpans } or a line for each ──▶ SpanFile ──▶ runs · read(origin, id)
 */
import type { ServiceRun } from "../shapes.ts";
import { groupBy } from "../values.ts";
import { readReference } from "./reference.ts";
import { serviceRun, type ShownValues } from "./service-run.ts";
import { SpanTree } from "./span-tree.ts";
import { readSpanFile } from "./spans.ts";

/** The most runs of one file, and the most runs of other services that are read with them. */
const maxRuns = 100;
const maxBehind = 1_000;

/** Values as the file has them. */
const unchanged: ShownValues = { text: (text) => text, value: (value) => value };

/** The spans of one file. */
export class SpanFile {
  readonly #trees: ReadonlyMap<string, SpanTree>;
  /** The newest first. */
  readonly runs: readonly ServiceRun[];
  /** The number of runs that are left out. */
  readonly leftOut: number;

  /** @throws Error with a sentence if the text has no spans */
  constructor(text: string) {
    const { spans } = readSpanFile(text);
    if (spans.length === 0) throw new Error("There is no valid span in it.");
    const byTrace = groupBy(spans, ({ traceId }) => traceId);
    this.#trees = new Map(Array.from(byTrace, ([id, own]) => [id, new SpanTree(own)]));
    const roots = [...this.#trees.values()]
      .flatMap((tree) => tree.roots.map((root) => ({ tree, root })))
      .sort((a, b) => b.root.startUs - a.root.startUs);
    this.runs = roots.slice(0, maxRuns).map(({ tree, root }) => serviceRun(tree, root, unchanged));
    this.leftOut = Math.max(0, roots.length - maxRuns);
  }

  /** The runs of other services that the runs led to, and those that these led to, by the ids that leaves refer to. */
  get behind(): Readonly<Record<string, ServiceRun>> {
    const found = new Map<string, ServiceRun>();
    const runs = [...this.runs];
    for (const { trace } of runs)
      for (const leaf of trace.leaves) {
        const id = leaf.kind === "http" ? leaf.detail.run?.id : undefined;
        const behind = id === undefined || found.has(id) || found.size >= maxBehind ? undefined : this.read(id);
        if (id === undefined || behind === undefined) continue;
        found.set(id, behind);
        runs.push(behind);
      }
    return Object.fromEntries(found);
  }

  /** The run that a leaf of another one refers to. */
  read(id: string): ServiceRun | undefined {
    const reference = readReference(id);
    const tree = reference === undefined ? undefined : this.#trees.get(reference.traceId);
    const root = reference === undefined ? undefined : tree?.entry(reference.spanId, reference.n, "");
    return tree === undefined || root === undefined ? undefined : serviceRun(tree, root, unchanged);
  }
}

/** Whether a text may be a file of spans. */
export const isSpanFile = (text: string): boolean => /^\s*\{\s*"resourceSpans"\s*:/.test(text);

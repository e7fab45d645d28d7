/** Shared by the tests of shown values: snapshots with the default bounds and no beans, and the tools of traces. */
import { ErrorInfos } from "./error-info.ts";
import type { TraceTools } from "../record/finished-trace.ts";
import { createRedactor, type Redactor } from "./redact.ts";
import { ShownPaths } from "./http/shown-paths.ts";
import { Snapshotter } from "./snapshot.ts";
import type { SnapshotSettings } from "./walk.ts";

/** Snapshots with this redactor. */
export function plainSnapshots(redactor: Redactor, more: Partial<SnapshotSettings> = {}): Snapshotter {
  return new Snapshotter({
    limits: { stringChars: 16_384, depth: 8, items: 100, nodes: 5_000, snapshotBytes: 262_144 },
    redactor,
    forms: new Map(),
    nameOf: () => undefined,
    quietly: (run) => run(),
    ...more,
  });
}

/** Keeps two calls of a run, and 900,000 bytes of its arguments and results. Errors have no stacks. */
export function plainTools(more: Partial<TraceTools> = {}): TraceTools {
  const redactor = createRedactor({});
  const snapshots = plainSnapshots(redactor);
  const paths = new ShownPaths(redactor, snapshots, () => []);
  const errors = new ErrorInfos(snapshots, undefined);
  return { snapshots, redactor, paths, errors, maxCalls: 2, traceBytes: 1_000_000, snapshotBytes: 100_000, ...more };
}

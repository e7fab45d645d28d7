/** What the tests of shown values share: snapshots with the default bounds and no beans. No tests. */
import type { Redactor } from "./redact.ts";
import { Snapshotter } from "./snapshot.ts";

/** Snapshots that hide what the redactor does. */
export function plainSnapshots(redactor: Redactor): Snapshotter {
  return new Snapshotter({
    limits: { stringChars: 16_384, depth: 8, items: 100, nodes: 5_000, snapshotBytes: 262_144 },
    redactor,
    forms: new Map(),
    nameOf: () => undefined,
    quietly: (run) => run(),
  });
}

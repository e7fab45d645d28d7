/** What a library publishes, and the leaves that come of it. */
import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import type { Leaf } from "../../../index.ts";
import { Watched } from "../watched.testkit.ts";

/** What is told of that could not be shown. */
export const faultsOf = ({ lines }: Watched): readonly string[] =>
  lines.filter((line) => line.includes("could not be shown"));

/** The leaves of a run in which that is published. */
export async function leavesOf(publish: () => void): Promise<readonly Leaf[]> {
  const watched = new Watched({}, publish);
  const { leaves } = await watched.trace();
  assert.deepEqual(faultsOf(watched), []);
  return leaves;
}

/** What is published of one thing that has begun and ended. */
export function traced(name: string, begun: object, ended: object): void {
  const message = { ...begun };
  channel(`tracing:${name}:start`).publish(message);
  channel(`tracing:${name}:asyncStart`).publish(Object.assign(message, ended));
}

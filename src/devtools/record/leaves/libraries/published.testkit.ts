/** Messages of a library, and the leaves from them. */
import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import type { Leaf } from "../../../index.ts";
import { Watched } from "../watched.testkit.ts";

/** The reports about messages that could not be shown. */
export const faultsOf = ({ lines }: Watched): readonly string[] =>
  lines.filter((line) => line.includes("could not be shown"));

/** The leaves of a run with these messages. */
export async function leavesOf(publish: () => void): Promise<readonly Leaf[]> {
  const watched = new Watched({}, publish);
  const { leaves } = await watched.trace();
  assert.deepEqual(faultsOf(watched), []);
  return leaves;
}

/** The messages of one operation, from start to end. */
export function traced(name: string, begun: object, ended: object): void {
  const message = { ...begun };
  channel(`tracing:${name}:start`).publish(message);
  channel(`tracing:${name}:asyncStart`).publish(Object.assign(message, ended));
}

/**
 * The lines that a run wrote to its log. Pure.
 */

import type { Call, Leaf, Trace } from "../../run/shapes.ts";
import { callerOf } from "../../run/calls.ts";

/** One line, and the call that wrote it, if it was not the request itself. */
export interface LogLine {
  readonly leaf: Extract<Leaf, { kind: "log" }>;
  readonly caller: Call | undefined;
  /** The fields as JSON, empty without any. */
  readonly fields: string;
}

/** The lines in the order of writing. */
export function logLines({ calls, leaves }: Pick<Trace, "calls" | "leaves">): LogLine[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  return leaves.flatMap((leaf) => {
    if (leaf.kind !== "log") return [];
    const { fields } = leaf.detail;
    return [
      { leaf, caller: callerOf(leaf, byId), fields: Object.keys(fields).length === 0 ? "" : JSON.stringify(fields) },
    ];
  });
}

/** The lines with this text in their level, message or fields, or in the name of their writer. */
export function linesWith(lines: readonly LogLine[], text: string): readonly LogLine[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return lines;
  return lines.filter(({ leaf, caller, fields }) =>
    `${leaf.detail.level}\n${leaf.detail.message}\n${fields}\n${caller?.bean ?? ""}.${caller?.method ?? ""}`
      .toLowerCase()
      .includes(wanted),
  );
}

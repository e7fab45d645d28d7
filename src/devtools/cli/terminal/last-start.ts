/**
 * Last start: what the history on disk says about an application that does not respond.
 *
 *   .framework/runs.jsonl of this folder or one above it ──▶ the last start: failed, with its error │ at which address
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The beginning of a line that has a start. */
const START = '{"v":1,"start":';

interface StartLine {
  /** Why it failed, and at which bean; undefined if it succeeded. */
  readonly failure: string | undefined;
  /** The address of a successful start. */
  readonly at: string | undefined;
}

/** What to do about an application that does not respond at `base`, or undefined if the history does not know. */
export function adviceFor(base: string, folder: string): string | undefined {
  const starts = startsIn(folder);
  const failure = starts.at(-1)?.failure;
  const at = starts.findLast((line) => line.at !== undefined)?.at;
  const advice = [
    ...(failure === undefined ? [] : [`its last start failed ${failure}`]),
    ...(at === undefined || at === base ? [] : [`it last listened at ${at}, which --url ${at} names`]),
  ];
  return advice.length === 0 ? undefined : advice.join("; ");
}

/** The starts of the nearest history, the last one at the end. */
function startsIn(folder: string): readonly StartLine[] {
  for (let at = folder; ; at = dirname(at)) {
    const texts = ["runs.1.jsonl", "runs.jsonl"].map((name) => contentOf(join(at, ".framework", name)));
    if (texts.some((text) => text !== "")) return texts.flatMap(startsOf);
    if (at === dirname(at)) return [];
  }
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

const startsOf = (text: string): readonly StartLine[] =>
  text.split("\n").flatMap((line) => (line.startsWith(START) ? (startOf(line) ?? []) : []));

function startOf(line: string): StartLine | undefined {
  try {
    const { start, at } = JSON.parse(line) as { start: { error: unknown; chain: unknown }; at?: unknown };
    if (start.error === null) return { failure: undefined, at: typeof at === "string" ? at : undefined };
    const { name, message } = start.error as { name: unknown; message: unknown };
    const chain = Array.isArray(start.chain) && start.chain.length > 0 ? `at ${start.chain.join(" → ")} ` : "";
    return { failure: `${chain}with ${String(name)}: ${String(message).split("\n", 1)[0]}`, at: undefined };
  } catch {
    return undefined; // cut by a crash, or edited
  }
}

/**
 * The ledger: what the processes of a simulator have done, one line each, written with a system call, so that it is there after a
 * kill.
 *
 *   1764460800123 7 done 0-12 8c5b… 1   ──▶ when, the life of a process, what, the key of the job, its id, the attempt
 *
 * A life is one process from its start to its kill. It notes that the engine has stored an acknowledgement, so that a job done
 * twice can be laid to a process that died before that, or to nothing.
 */
import { appendFileSync, readFileSync } from "node:fs";

/** A line of the ledger. */
export interface Entry {
  readonly life: number;
  readonly what: string;
  /** The key of a job, or its id where only that is known. */
  readonly key: string;
  readonly id: string;
}

/** Appends lines of one life. The time is the real one. */
export const noteTo =
  (path: string, life: number): ((what: string, key: string, ...more: readonly (string | number)[]) => void) =>
  (what, key, ...more) =>
    appendFileSync(
      path,
      `${Math.round(performance.timeOrigin + performance.now())} ${[life, what, key, ...more].join(" ")}\n`,
    );

/** All lines, in the order in which they were written. */
export const entriesOf = (path: string): Entry[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [, life, what = "", key = "", id = ""] = line.split(" ");
      return { life: Number(life), what, key, id };
    });

/** The jobs that were done more than once. */
export interface Doublings {
  readonly keys: readonly string[];
  /** Those with a proof: each process but the last died after the work, and had not heard of an acknowledgement. */
  readonly proven: readonly string[];
  /** Of those, where the process killed itself at a step of that job, and not of another one. */
  readonly own: readonly string[];
}

/** Finds the jobs that were done more than once, and looks for a proof for each. */
export function doublingsOf(entries: readonly Entry[]): Doublings {
  const dones = new Map<string, (Entry & { readonly at: number })[]>();
  for (const [at, entry] of entries.entries())
    if (entry.what === "done") dones.set(entry.key, [...(dones.get(entry.key) ?? []), { ...entry, at }]);
  const keys: string[] = [];
  const proven: string[] = [];
  const own: string[] = [];
  for (const [key, times] of dones) {
    if (times.length < 2) continue;
    keys.push(key);
    const isProven = times.every(({ life, id, at }, time) => {
      const next = times[time + 1];
      if (next === undefined) return true;
      const between = entries.slice(at, next.at).filter((one) => one.life === life);
      const isAcknowledged = between.some((one) => one.what === "acknowledged" && one.key === id);
      return next.id === id && !isAcknowledged && between.some(({ what }) => what.startsWith("killed"));
    });
    if (!isProven) continue;
    proven.push(key);
    if (entries.some((one) => one.what === "killed-finish" && one.key === key)) own.push(key);
  }
  return { keys, proven, own };
}

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
  /** In milliseconds since 1970. */
  readonly atMs: number;
  /** 0 is the simulator itself. */
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
      const [atMs, life, what = "", key = "", id = ""] = line.split(" ");
      return { atMs: Number(atMs), life: Number(life), what, key, id };
    });

/** The jobs that were done more than once, by what the ledger shows. Each of them is done by the same id. */
export interface Doublings {
  readonly keys: readonly string[];
  /** The process died at a step of that job, after the work and before it had heard of an acknowledgement. */
  readonly own: readonly string[];
  /** It died there at a step of another job. */
  readonly other: readonly string[];
  /** The engine was away for longer than a lease, and the process lived on. */
  readonly away: readonly string[];
  readonly unproven: readonly string[];
}

type Cause = "own" | "other" | "away" | undefined;
type Done = Entry & { readonly at: number };

/** Finds the jobs that were done more than once, and why. @param leaseMs after that an engine hands a job out again */
export function doublingsOf(entries: readonly Entry[], leaseMs: number): Doublings {
  const dones = new Map<string, Done[]>();
  for (const [at, entry] of entries.entries())
    if (entry.what === "done") dones.set(entry.key, [...(dones.get(entry.key) ?? []), { ...entry, at }]);
  const twice = [...dones].filter(([, times]) => times.length > 1);
  const causes = twice.map(([key, times]): [key: string, causes: readonly Cause[]] => [
    key,
    times.slice(1).map((next, time) => causeOf(entries, times[time] ?? next, next, leaseMs)),
  ]);
  const of = (cause: Cause): string[] =>
    causes.flatMap(([key, all]) => {
      return (all.includes(undefined) ? undefined : all[0]) === cause ? [key] : [];
    });
  return {
    keys: twice.map(([key]) => key),
    own: of("own"),
    other: of("other"),
    away: of("away"),
    unproven: of(undefined),
  };
}

/** Why a job was done again. */
function causeOf(entries: readonly Entry[], done: Done, next: Done, leaseMs: number): Cause {
  const between = entries.slice(done.at, next.at);
  const own = between.filter(({ life }) => life === done.life);
  if (next.id !== done.id || own.some(({ what, key }) => what === "acknowledged" && key === done.id)) return undefined;
  const killed = own.find(({ what }) => what.startsWith("killed"));
  if (killed !== undefined) return killed.key === done.key ? "own" : "other";
  const back = between.find(({ what }) => what === "server-back");
  const away = entries.findLast(
    ({ what }, at) => what === "server-away" && back !== undefined && at < entries.indexOf(back),
  );
  return back !== undefined && away !== undefined && back.atMs - away.atMs > leaseMs ? "away" : undefined;
}

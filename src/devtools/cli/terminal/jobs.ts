/**
 * Jobs: the application's jobs and dead letters for a terminal, and the retry of one.
 *
 *   job           waiting  active  dead  oldest
 *   send-invoice        2       1     1  4.2 s
 *
 *   dead  send-invoice 7c1e…  no mail server  run 7f3a.12
 */
import { clock, duration } from "../../run/format.ts";
import { letterWords } from "../../run/jobs.ts";
import type { Command } from "./args.ts";
import type { Setting } from "./commands.ts";
import { TerminalError } from "./errors.ts";
import { cutTo, printable, printableJson } from "./printable.ts";

type Of<K extends Command["kind"]> = Extract<Command, { readonly kind: K }>;

/** `jobs`. */
export async function printJobs({ isJson }: Of<"jobs">, { client, screen, print }: Setting): Promise<number> {
  const view = await client.read("jobs");
  if (isJson) {
    print(printableJson(view));
    return 0;
  }
  if (view.engine === null) throw new TerminalError("the application has no jobs: app.work gives it an engine");
  const { paint, width } = screen;
  const line = (text: string): void => print(cutTo(printable(text), width));
  const wide = Math.max(3, ...view.jobs.map(({ job }) => job.length));
  if (view.reason !== null) throw new TerminalError(`the jobs cannot be read: ${view.reason}`);
  print(paint("muted", cutTo(`${"job".padEnd(wide)}  waiting  active  dead  oldest`, width)));
  for (const { job, waiting, active, dead, oldestMs } of view.jobs) {
    const numbers = [String(waiting).padStart(7), String(active).padStart(6), String(dead).padStart(4)].join("  ");
    line(`${job.padEnd(wide)}  ${numbers}  ${oldestMs === 0 ? "" : duration(oldestMs * 1_000)}`.trimEnd());
  }
  for (const { name, job, cron, timeZone, nextAt } of view.schedules) {
    const next = new Date(nextAt);
    line(`schedule ${name}: ${job}, ${cron} ${timeZone}, next ${next.toDateString().slice(0, 10)} ${clock(nextAt)}`);
  }
  for (const letter of view.dead) {
    print("");
    print(paint("bad", cutTo(printable(`dead  ${letter.job} ${letter.id}`), width)));
    line(`      ${letterWords(letter)}`);
    if (letter.run !== null) print(paint("muted", `      replay ${letter.run}`));
  }
  return 0;
}

/** `retry`. */
export async function printRetry({ job, id }: Of<"retry">, { client, print }: Setting): Promise<number> {
  await client.post(`jobs/${encodeURIComponent(job)}/${encodeURIComponent(id)}`);
  print(printable(`${job} ${id} is tried again`));
  return 0;
}

/** An app with jobs in memory, and its log. */
import { Framework } from "../app/framework.ts";
import type { WorkEngine } from "../app/work.ts";
import { type MemoryWork, type MemoryWorkOptions, memoryWork } from "./memory.ts";
import { Work } from "./sender.ts";

/** A line of the log: its level, message and fields. */
export type Line = readonly [level: string, message: string, fields: object];

/** An app with that engine, which keeps the lines of its log. */
export function appWith(engine: WorkEngine, graceMs = 5_000): { readonly app: Framework; readonly lines: Line[] } {
  const lines: Line[] = [];
  const write =
    (level: string) =>
    (message: string, ...rest: unknown[]): void =>
      void lines.push([level, message, Object(rest.at(-1)) as object]);
  const logger = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
  return { app: Framework.create({ logger, shutdownGraceMs: graceMs }).work(engine), lines };
}

/** The same in memory, where a test runs the jobs. */
export function manualApp(options: MemoryWorkOptions = {}): ReturnType<typeof appWith> & { readonly jobs: MemoryWork } {
  const jobs = memoryWork({ manual: true, ...options });
  return { ...appWith(jobs), jobs };
}

/** The bean of a ready app. */
export const workOfApp = async (app: Framework): Promise<Work> => {
  await app.ready();
  const { container } = app;
  if (container === undefined) throw new Error("the app has no beans");
  return container.get(Work);
};

/** Waits until a condition holds. */
export async function until(holds: () => unknown): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/**
 * The micro bench: groups of cases, each in processes of its own.
 *
 *   run 1: requests ▸ beans ▸ lessons ──▶ run 2: … ──▶ samples of all runs ──▶ median [quartiles]
 *
 * Several fresh processes, since what the compiler makes of a loop can be another thing in the next one.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { MicroShape, Samples } from "./ns-per-op.ts";
import type { Host } from "./server-process.ts";
import { cellOf, type Cell } from "./stats.ts";

/** The figures by the cases' ids. */
export type Micro = Readonly<Record<string, MicroFigure>>;

/** One case's figure. */
export interface MicroFigure {
  readonly title: string;
  /** The id of the case whose time is taken off. */
  readonly less?: string | undefined;
  readonly ns: Cell;
}

/** The samples of every group, `runs` times. @throws Error naming the group that failed. */
export function measureMicro(
  groups: readonly string[],
  host: Omit<Host, "entry">,
  shape: MicroShape & { readonly runs: number },
): readonly Samples[] {
  const taken: Samples[][] = Array.from({ length: shape.runs }, () =>
    groups.map((group) => samplesOf(group, host, shape)),
  );
  return taken.map((run) => Object.assign({}, ...run) as Samples);
}

/** What the samples of all runs come to. */
export function microOf(runs: readonly Samples[]): Micro {
  return Object.fromEntries(
    Object.entries(runs[0] ?? {}).map(([id, { title, less }]) => {
      const ns = cellOf(runs.map((run) => run[id]?.ns ?? []));
      return [id, { title, ns, ...(less === undefined ? {} : { less }) }];
    }),
  );
}

const entry = fileURLToPath(new URL("../micro-group.js", import.meta.url));

/** On the servers' core, as an application under development. */
function samplesOf(group: string, { node, pinned }: Omit<Host, "entry">, { samples, batchMs }: MicroShape): Samples {
  const command = [...(pinned ? ["taskset", "-c", "0"] : []), node, entry, group, String(samples), String(batchMs)];
  const { status, stdout } = spawnSync(command[0] ?? node, command.slice(1), {
    encoding: "utf8",
    env: { ...process.env, NODE_ENV: "development", FRAMEWORK_DEVTOOLS: "true" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`the group ${group} of the micro bench ended with ${String(status)}`);
  return JSON.parse(stdout) as Samples;
}

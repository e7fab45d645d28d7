/** One column of a matrix: the suite against a target, with a process for each profile, in parallel. */
import type { RequirementId } from "../spec/requirements.ts";
import { profileNames } from "../spec/subject.ts";
import { cases } from "./cases/index.ts";
import { readAllClauses } from "./kit/chapters.ts";
import type { Column } from "./kit/matrix.ts";
import { makeReport } from "./kit/report.ts";
import { runAgainst, type SubjectRun } from "./kit/run.ts";
import { http1, http2 } from "./kit/transport.ts";
import { outside } from "./reports.ts";
import { start } from "./started.ts";
import type { Target } from "./targets.ts";

/** Runs the cases of these clauses against the target, by default of all that can be observed from outside. */
export async function columnOf(target: Target, ids: readonly RequirementId[] = outside): Promise<Column> {
  await target.prepare?.();
  const wanted = cases.filter(({ id }) => ids.includes(id));
  const probing = { transport: target.http2 ? http2 : http1, insecure: true };
  const runs = await Promise.all(
    profileNames.map(async (profile): Promise<SubjectRun> => {
      const subject = await start(target, profile);
      try {
        return await runAgainst(subject.url, wanted, probing);
      } finally {
        await subject.stop();
      }
    }),
  );
  const { name, about } = target;
  return { name, about, report: makeReport({ runs, ids, clauses: readAllClauses() }) };
}

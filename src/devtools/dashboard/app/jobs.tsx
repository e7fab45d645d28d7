/**
 * The jobs of the application: how many of each wait, run and have died, the schedules, and the dead letters.
 */

import type { JSX } from "preact";
import { duration } from "../../run/format.ts";
import { letterWords } from "../../run/jobs.ts";
import type { DeadJob, JobsView } from "../../run/shapes.ts";
import { Table } from "../page/widgets.tsx";
import { replay } from "../replay/page-replay.ts";
import { day } from "../runs/earlier.ts";
import { earlier } from "../runs/page-runs.ts";
import { useSlice } from "../store/slice.ts";
import { factsSlice } from "./facts.ts";

const facts = useSlice(factsSlice);

/** Nothing for an application without jobs. */
export function Jobs({ engine, reason, jobs, schedules, dead }: JobsView): JSX.Element | null {
  if (engine === null) return null;
  return (
    <>
      <h3>Jobs</h3>
      {reason === null ? (
        <Table label="Jobs" head={["Job", "Waiting", "Active", "Dead", "Oldest"]} numbers={[1, 2, 3, 4]}>
          {jobs.map((one) => (
            <tr key={one.job}>
              <th scope="row">{one.job}</th>
              <td class="num">{one.waiting}</td>
              <td class="num">{one.active}</td>
              <td class={one.dead > 0 ? "num bad" : "num"}>{one.dead}</td>
              <td class="num">{one.oldestMs === 0 ? "" : duration(one.oldestMs * 1_000)}</td>
            </tr>
          ))}
        </Table>
      ) : (
        <p class="notice error">The jobs cannot be read: {reason}.</p>
      )}
      {schedules.length > 0 && (
        <Table label="Schedules" head={["Schedule", "Job", "Next"]}>
          {schedules.map(({ name, job, cron, timeZone, nextAt }) => (
            <tr key={name}>
              <th scope="row">
                {name} {cron} {timeZone}
              </th>
              <td>{job}</td>
              <td>{day(nextAt)}</td>
            </tr>
          ))}
        </Table>
      )}
      {dead.length > 0 && (
        <ul class="checks" aria-label="Dead letters">
          {dead.map((letter) => (
            <Letter key={letter.id} letter={letter} />
          ))}
        </ul>
      )}
    </>
  );
}

function Letter({ letter }: { readonly letter: DeadJob }): JSX.Element {
  const { job, run } = letter;
  return (
    <li>
      <b class="bad">{job}</b> {letterWords(letter)}{" "}
      {run !== null && (
        <>
          <button type="button" class="quiet" onClick={() => void earlier.open(run)}>
            Run
          </button>
          <button type="button" class="quiet" onClick={() => void earlier.open(run).then(() => replay.open())}>
            Replay
          </button>
        </>
      )}
      <button type="button" class="quiet" onClick={() => void facts.retry(letter)}>
        Retry
      </button>
    </li>
  );
}

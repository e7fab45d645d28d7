/**
 * The buttons over a list of runs: only errors, only slow ones, only those of this page, and the pause of live traffic.
 */

import type { JSX } from "preact";
import { duration } from "../../run/format.ts";
import { history, live } from "./page-runs.ts";

const TOGGLES = [
  ["onlyErrors", "Errors", "Status 400 or more, an error, or aborted"],
  ["onlySlow", "Slow", `Longer than ${duration(history.slowUs())}`],
  ["onlyMine", "Mine", "Sent from this page"],
] as const;

/** How many runs each of the buttons would show. */
export type RunCounts = Readonly<Record<(typeof TOGGLES)[number][0], number>>;

/** Each with the number of runs that it shows, usually those of the page. */
export function RunToggles({ counts = history.counts.value }: { readonly counts?: RunCounts }): JSX.Element {
  const { filter, setFilter } = history;
  return (
    <>
      {TOGGLES.map(([name, label, means]) => (
        <button
          key={name}
          type="button"
          class="quiet"
          title={means}
          aria-pressed={filter.value[name]}
          onClick={() => setFilter({ [name]: !filter.value[name] })}
        >
          {label}
          <small aria-hidden="true">{counts[name]}</small>
        </button>
      ))}
    </>
  );
}

/** Pause, or Resume with the number of runs that wait. */
export function PauseButton(): JSX.Element {
  const { paused, waiting, setPaused } = live;
  return (
    <button type="button" class="quiet" aria-pressed={paused.value} onClick={() => setPaused(!paused.value)}>
      {paused.value ? `Resume (${waiting.value})` : "Pause"}
    </button>
  );
}

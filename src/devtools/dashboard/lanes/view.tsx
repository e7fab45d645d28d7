/**
 * Lanes: all kept runs over time, and what the selected ones share.
 *
 *   strip over all runs, with the brush │ what do these share?
 *   ────────────────────────────────────┤
 *   a band a route, overlap in lanes    │
 *   ────────────────────────────────────┤
 *   a failed run and those beside it    │
 */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { clamp, count } from "../../run/format.ts";
import { isNumber } from "../../run/values.ts";
import { remembered } from "../page/storage.ts";
import { Empty, Splitter } from "../page/widgets.tsx";
import { PauseButton, RunToggles } from "../runs/run-toggles.tsx";
import { application } from "../store/page-store.ts";
import { Bands } from "./bands.tsx";
import { Beside } from "./beside.tsx";
import { between, mostAtOnce } from "./layout.ts";
import { lanes } from "./page-lanes.ts";
import { Overview } from "./overview.tsx";
import { Share } from "./share.tsx";

/** The width of the panel at the right. */
const width = remembered(() => localStorage, "framework-dev.lanes-width", 440, isNumber);

/** The place of all runs. */
export function Lanes(): JSX.Element {
  useEffect(() => {
    void lanes.load();
    const stops = [lanes.stay(), lanes.follow()];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  const share = clamp(width.value, 280, Math.max(280, innerWidth - 480));
  return (
    <main class="lanes" style={{ gridTemplateColumns: `minmax(0, 1fr) 6px ${share}px` }}>
      <section class="lanes-main" aria-label="Runs over time">
        <div class="zone-head">
          <h2>Runs over time</h2>
          <span class="muted">{lanes.runs.value.length} kept</span>
          <span class="grow" />
          <RunToggles counts={lanes.counts.value} />
          <PauseButton />
        </div>
        {lanes.runs.value.length === 0 ? <Nothing /> : <Picture />}
      </section>
      <Splitter
        label="Width of the panel"
        axis="x"
        value={innerWidth - share}
        min={480}
        max={innerWidth - 280}
        onChange={(value) => (width.value = innerWidth - value)}
      />
      <Share />
    </main>
  );
}

function Nothing(): JSX.Element {
  const isReading = !application.loaded.value && application.failure.value === null;
  return isReading ? (
    <Empty title="Reading the runs…" />
  ) : (
    <Empty title="No runs yet">Send a request in Compose, or let traffic arrive.</Empty>
  );
}

function Picture(): JSX.Element {
  const range = lanes.range.value;
  const runs = lanes.brushed.value;
  return (
    <>
      <Overview />
      <div class="zone-head lanes-said">
        <b>{count(runs.length, "run")} in the brush</b>
        <span class="muted">
          {range && between(range)}
          {runs.length > 0 && `, at most ${mostAtOnce(runs)} at once`}
        </span>
        <span class="grow" />
        <span class="lanes-legend">
          <i data-mark="set" /> selected <i data-mark="other" /> other <i data-mark="failed" /> failed
        </span>
      </div>
      <Bands />
      <Beside />
    </>
  );
}

/**
 * Start: the whole application, before the user looks for anything.
 *
 *   requests of the last minute
 *   ──────────────────────────────┬──────────────────────
 *   groups of beans, or their heat │ slow routes, errors, changes
 */

import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { Graph } from "../graph/graph.tsx";
import { scene } from "../graph/page-graph.ts";
import { clamp, duration, grouped, rate } from "../../run/format.ts";
import { SECONDS } from "../../run/overview/minute.ts";
import { isNumber } from "../../run/values.ts";
import { Quantity } from "../page/quantity.tsx";
import { remembered } from "../page/storage.ts";
import { Empty, Splitter } from "../page/widgets.tsx";
import { application } from "../store/page-store.ts";
import { FolderMap, FolderTools, NoHeat } from "./folder-map.tsx";
import { facts, lastMinute, overview } from "./page-overview.ts";
import { Rail } from "./rail.tsx";

const RAIL = { least: 300, most: 760 };
const rail = remembered(() => localStorage, "framework-dev.start-rail", 450, isNumber);

/** The place to begin. */
export function Start(): JSX.Element {
  useLayoutEffect(overview.follow, []);
  const width = clamp(rail.value, RAIL.least, RAIL.most);
  return (
    <main class="start">
      <Strip />
      <div class="start-body" style={{ gridTemplateColumns: `minmax(0, 1fr) 6px ${width}px` }}>
        <section class="start-groups" aria-label="Groups of beans">
          <FolderTools />
          <Groups />
        </section>
        <Splitter
          label="Width of the lists"
          axis="x"
          value={-width}
          min={-RAIL.most}
          max={-RAIL.least}
          onChange={(value) => (rail.value = -value)}
        />
        <Rail />
      </div>
    </main>
  );
}

function Groups(): JSX.Element {
  if (application.live.value.nodes.length > 0) return overview.isDrawn.value ? <LiveGraph /> : <FolderMap />;
  if (application.loaded.value) return <Empty title="No beans yet">Bind a bean in the container.</Empty>;
  return application.failure.value === null ? (
    <Empty title="Reading the beans…" />
  ) : (
    <Empty title="No beans are known">The application does not respond.</Empty>
  );
}

/** The graph as the heat map of the last minute. */
function LiveGraph(): JSX.Element {
  useLayoutEffect(() => {
    scene.live.value = { heat: overview.heats, open: overview.inspectSlowest };
    return () => void (scene.live.value = null);
  }, []);
  return (
    <>
      {overview.heats.value.size === 0 && <NoHeat />}
      <Graph isAlone />
    </>
  );
}

/** The requests of the last minute. */
function Strip(): JSX.Element {
  const { count, errors, p50Us, p95Us, bySecond } = overview.requests.value;
  const most = Math.max(1, ...bySecond);
  const loopUs = facts.metrics.value?.loopP99Us;
  return (
    <section class="strip" aria-label="Requests of the last minute">
      <div class="strip-rate">
        <p>
          Requests per second, last minute
          <b>{rate(count / lastMinute.seconds())}</b>
        </p>
        <svg
          viewBox={`0 0 ${SECONDS * 4} 40`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`at most ${most} in a second`}
        >
          {bySecond.map((n, at) => (
            <rect
              key={at}
              class={at < SECONDS - 5 ? undefined : "late"}
              x={at * 4}
              y={40 - (38 * n) / most - 1}
              width="3"
              height={(38 * n) / most + 1}
            />
          ))}
        </svg>
      </div>
      {count === 0 ? (
        <p class="muted">No request ended in the last minute.</p>
      ) : (
        <>
          <p>
            p50 <b>{<Quantity text={duration(p50Us)} />}</b>
          </p>
          <p>
            p95 <b>{<Quantity text={duration(p95Us)} />}</b>
          </p>
          <p>
            Failed
            <b>
              <span class={errors > 0 ? "bad" : undefined}>{grouped(errors)}</span> <i>of {grouped(count)}</i>
            </b>
          </p>
        </>
      )}
      {loopUs !== undefined && (
        <p title="How late the event loop was at most in 99 % of the last minute">
          Event loop, p99 <b>{<Quantity text={duration(loopUs)} />}</b>
        </p>
      )}
    </section>
  );
}

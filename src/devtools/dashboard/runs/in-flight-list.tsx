/**
 * The runs in progress, above the ended ones, each with its clock, its calls so far, and the call where it waits.
 */

import type { JSX } from "preact";
import type { Started } from "../../run/shapes.ts";
import { count, duration } from "../../run/format.ts";
import { Path } from "../page/list-parts.tsx";
import { Method } from "../page/widgets.tsx";
import { selection } from "../store/page-store.ts";
import { useSlice } from "../store/slice.ts";
import { inFlightSlice } from "./in-flight.ts";

const inFlight = useSlice(inFlightSlice);

const LISTED = 8;

/** Empty while nothing is in progress. */
export function InFlightList(): JSX.Element | null {
  const runs = inFlight.underWay.value;
  if (runs.length === 0) return null;
  return (
    <section class="under-way" aria-label="Under way">
      <p class="caption">Under way {runs.length}</p>
      <ul>
        {runs.slice(0, LISTED).map(({ key, started, elapsedUs }) => (
          <li key={key}>
            <div>
              <Method name={started.method} />
              <Path text={started.path} />
              <span class="time">{duration(elapsedUs)}</span>
            </div>
            <Waiting started={started} />
          </li>
        ))}
      </ul>
      {runs.length > LISTED && <p class="hint">and {runs.length - LISTED} more</p>}
    </section>
  );
}

/** The call that it is in, which is the innermost unsettled one. */
function Waiting({ started }: { readonly started: Started }): JSX.Element {
  const call = started.pending.at(-1);
  const calls = started.calls === 0 ? "no call yet" : `${count(started.calls, "call")} so far`;
  return (
    <p class="muted">
      {calls}
      {call && (
        <>
          , in{" "}
          <button
            type="button"
            class="link"
            title={`since ${duration(call.startUs)} after the start`}
            onClick={() => selection.selectBean(call.bean)}
          >
            {selection.beanName(call.bean)}.{call.method}()
          </button>
        </>
      )}
    </p>
  );
}

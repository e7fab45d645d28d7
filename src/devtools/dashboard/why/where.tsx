/**
 * Where the time of a run went, along its critical path: a bar of its kinds, whose parts add up to the run, and the steps outside
 * of beans by name.
 */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { WHERE, whereOf } from "../../run/explain/where.ts";
import { duration } from "../../run/format.ts";
import { outsideName } from "../../run/outside.ts";
import type { Trace } from "../../run/shapes.ts";

/** How many steps outside of beans are named. */
const STEPS = 12;

/** The bar and its legend. */
export function WhereTimeWent({ trace }: { readonly trace: Trace }): JSX.Element | null {
  const { parts, steps } = useMemo(() => whereOf(trace), [trace]);
  if (parts.length === 0) return null;
  const shown = trace.phases === undefined ? [] : steps.slice(0, STEPS);
  const text = parts.map(({ kind, us }) => `${WHERE[kind]} ${duration(us)}`).join(", ");
  return (
    <section class="where">
      <h3>
        Where the {duration(trace.durationUs)} went <span class="hint">along the critical path</span>
      </h3>
      <div class="where-bar" role="img" aria-label={text}>
        {parts.map(({ kind, us }) => (
          <span key={kind} class="where-part" data-part={kind} style={{ flexGrow: us }} />
        ))}
      </div>
      <ul class="where-legend">
        {parts.map(({ kind, us }) => (
          <li key={kind} data-part={kind}>
            <span class="where-part" /> {WHERE[kind]} <span class="num">{duration(us)}</span>
          </li>
        ))}
      </ul>
      {shown.length > 0 && (
        <p class="hint where-steps">
          Outside beans:{" "}
          {shown.map((step, at) => (
            <span key={at}>
              {at > 0 && ", "}
              {outsideName(step)} <span class="num">{duration(step.us)}</span>
            </span>
          ))}
        </p>
      )}
    </section>
  );
}

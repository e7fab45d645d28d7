/**
 * Where the time of a run went, along its critical path: a bar of its kinds, whose parts add up to the run, and the steps outside
 * of beans by name.
 */

import type { JSX } from "preact";
import type { Why } from "../../run/explain/why.ts";
import { duration } from "../../run/format.ts";
import type { Trace } from "../../run/shapes.ts";

/** The bar and its legend. */
export function WhereTimeWent(props: { readonly trace: Trace; readonly why: Why }): JSX.Element | null {
  const { parts, steps } = props.why;
  if (parts.length === 0) return null;
  const text = parts.map(({ name, us }) => `${name} ${duration(us)}`).join(", ");
  return (
    <section class="where">
      <h3>
        Where the {duration(props.trace.durationUs)} went <span class="hint">along the critical path</span>
      </h3>
      <div class="where-bar" role="img" aria-label={text}>
        {parts.map(({ kind, us }) => (
          <span key={kind} class="where-part" data-part={kind} style={{ flexGrow: us }} />
        ))}
      </div>
      <ul class="where-legend">
        {parts.map(({ kind, name, us }) => (
          <li key={kind} data-part={kind}>
            <span class="where-part" /> {name} <span class="num">{duration(us)}</span>
          </li>
        ))}
      </ul>
      {steps.length > 0 && (
        <p class="hint where-steps">
          Outside beans:{" "}
          {steps.map(({ name, us }, at) => (
            <span key={at}>
              {at > 0 && ", "}
              {name} <span class="num">{duration(us)}</span>
            </span>
          ))}
        </p>
      )}
    </section>
  );
}

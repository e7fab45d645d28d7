/**
 * What do these share: the selected runs against the others in the brush.
 */

import type { JSX } from "preact";
import type { Difference } from "../../run/explain/share.ts";
import { count, duration, traceKey } from "../../run/format.ts";
import { MAX_QUERY_CHARS } from "../../run/wire.ts";
import { CopyButton, Empty, Failure, Table } from "../page/widgets.tsx";
import { earlier, history } from "../runs/page-runs.ts";
import { panels, search, selection } from "../store/page-store.ts";
import { MOST_COMPARED, type Comparison, type Sides } from "./lanes.ts";
import { lanes } from "./page-lanes.ts";
import { countsSaid, liftOf, markdownOf, setSaid } from "./share-words.ts";

/** The panel at the right. */
export function Share(): JSX.Element {
  const sides = lanes.sides.value;
  const comparison = lanes.comparison.value;
  return (
    <section class="lanes-share" aria-label="What do these share?">
      <div class="zone-head">
        <h2>What do these share?</h2>
        {sides?.name === "selected" && (
          <button type="button" class="quiet" onClick={lanes.clearChosen}>
            Select none
          </button>
        )}
      </div>
      <Failure reason={lanes.failure.value} />
      {comparison && sides ? <Found comparison={comparison} /> : <Ask sides={sides} />}
    </section>
  );
}

/** What to do, or why there is nothing to compare. */
function Ask({ sides }: { readonly sides: Sides | null }): JSX.Element {
  if (sides === null)
    return <Empty title="No runs selected">Press Errors or Slow, or select runs with Shift and a click.</Empty>;
  if (sides.set.length === 0)
    return <Empty title={`No ${sides.name} runs in the brush`}>Choose a longer stretch.</Empty>;
  if (sides.rest.length === 0)
    return <Empty title="No other runs in the brush">The comparison needs runs that are not {sides.name}.</Empty>;
  return <Empty title="Comparing…" />;
}

function Found({ comparison }: { readonly comparison: Comparison }): JSX.Element {
  const { shared, sides } = comparison;
  const [first] = shared.differences;
  const isCut = sides.set.length > shared.ofSet || sides.rest.length > shared.ofRest;
  return (
    <>
      <p class="lanes-sides">
        <b>{setSaid(comparison)}</b>
        <span class="muted">{sides.name === "slow" && ` over ${duration(history.slowUs())}`}</span>,{" "}
        <b>{shared.ofRest}</b> <span class="muted">others in the brush</span>
        {isCut && (
          <small class="muted">
            The newest {MOST_COMPARED} a side at most, of {sides.set.length} and {sides.rest.length}.
          </small>
        )}
      </p>
      {first ? (
        <>
          <p class="lanes-first" role="status">
            <b>{first.facts[0]?.text}</b> in {countsSaid(first, comparison)}.
          </p>
          <Table
            class="panel-table lanes-table"
            label="Differences"
            head={["What", "Value", sides.name, "Others", "Lift"]}
            numbers={[2, 3, 4]}
          >
            {shared.differences.map((one) => (
              <Row key={one.facts[0]?.text} one={one} comparison={comparison} />
            ))}
          </Table>
        </>
      ) : (
        <p class="lanes-first" role="status">
          Nothing sets them apart. {count(shared.looked, "fact")} were compared.
        </p>
      )}
      {shared.same.length > 0 && (
        <p class="lanes-same">
          <b>No difference</b> {shared.same.map(({ text }) => text).join(", ")}
        </p>
      )}
      <div class="lanes-buttons">
        <button type="button" class="quiet" onClick={() => filterTo(sides)}>
          Filter to these {sides.set.length}
        </button>
        <button type="button" class="quiet" onClick={() => openSlowest(sides)}>
          Slowest of them
        </button>
        <CopyButton label="Copy as Markdown" text={() => markdownOf(comparison)} />
      </div>
    </>
  );
}

function Row({ one, comparison }: { readonly one: Difference; readonly comparison: Comparison }): JSX.Element {
  const [fact, ...more] = one.facts;
  const { ofSet, ofRest } = comparison.shared;
  const [run] = one.runs;
  return (
    <tr>
      <td class="muted">{fact?.kind}</td>
      <td>
        <button
          type="button"
          class="link"
          title={
            one.lift !== null && one.lift < 1 ? "Opens a selected run without it" : "Opens a selected run that has it"
          }
          onClick={() => run && void earlier.open(run)}
        >
          {fact?.text}
        </button>
        {more.length > 0 && (
          <small class="muted" title={more.map(({ text }) => text).join("\n")}>
            the same runs: {more[0]?.text}
            {more.length > 1 && `, and ${more.length - 1} more`}
          </small>
        )}
      </td>
      <Count n={one.inSet} of={ofSet} />
      <Count n={one.inRest} of={ofRest} />
      <td class="num">
        <b>{liftOf(one)}</b>
      </td>
    </tr>
  );
}

function Count({ n, of }: { readonly n: number; readonly of: number }): JSX.Element {
  return (
    <td class="num">
      <i class="lanes-count" style={{ width: `${(36 * n) / of}px` }} /> {n}
    </td>
  );
}

/** Shows these runs alone: in Inspect, or if the page lacks one, among all that is kept. */
function filterTo({ set }: Sides): void {
  const keys = set.map(traceKey);
  let text = `id=${keys.join(",")}`;
  // The oldest ones are left out if the text is too long.
  while (text.length > MAX_QUERY_CHARS) text = `id=${(keys.shift(), keys.join(","))}`;
  search.text.value = text;
  history.setFilter({ onlyErrors: false, onlySlow: false, onlyMine: false });
  if (keys.every((key) => selection.runOf(key))) panels.place.value = "inspect";
  else {
    panels.place.value = "compose";
    panels.list.value = "history";
    void earlier.searchKept();
  }
}

function openSlowest({ set }: Sides): void {
  const slowest = set.toSorted((a, b) => b.durationUs - a.durationUs)[0];
  if (slowest) void lanes.select(slowest);
}

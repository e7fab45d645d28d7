/**
 * The trail of a value through the run, at the top of the Why tab: each place where it was, the first one first.
 *
 *   "Where from?" at a value ──▶ wanted ──▶ this tab opens ──▶ a click on a place shows its call or leaf
 *
 * Places have the number that their bean has in the graph.
 */

import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { count, duration } from "../../run/format.ts";
import type { Occurrence } from "../../run/origin.ts";
import { CallLink } from "../leaves/pane.tsx";
import { wanted } from "../page/wanted.ts";
import { IconButton } from "../page/widgets.tsx";
import { panels, selection, trail } from "../store/page-store.ts";
import { holderOf } from "../store/trail.ts";
import { placeText } from "./places.ts";

// A request for an origin opens this tab, which may not have been shown before.
effect(() => {
  if (wanted.value !== null) panels.detail.value = "why";
});

/** How many places are listed. */
const MOST = 50;

/** The places of the wanted value, or nothing if none is wanted. */
export function Trail(): JSX.Element | null {
  const text = wanted.value;
  const places = trail.places.value;
  if (text === null) return null;
  return (
    <section class="trail" aria-label="Where a value was">
      <header>
        <h3>
          Where <code>{text.length > 60 ? `${text.slice(0, 60)}…` : text}</code> was
        </h3>
        <span class="hint">{places.length === 0 ? "nowhere in this run" : count(places.length, "place")}</span>
        <span class="grow" />
        <IconButton icon="close" label="Close the places of this value" isQuiet onClick={() => (wanted.value = null)} />
      </header>
      <ol>
        {places.slice(0, MOST).map((place, at) => (
          <Place key={at} place={place} />
        ))}
      </ol>
      {places.length > MOST && <p class="hint">and {count(places.length - MOST, "more place")}</p>}
    </section>
  );
}

function Place({ place }: { readonly place: Occurrence }): JSX.Element {
  const { call, leaf, us, path } = place;
  const show = (): void => {
    if (leaf) selection.selectLeaf(leaf, call ?? undefined);
    else if (call) selection.showCall(call);
  };
  const text = placeText(place);
  const isSelected = leaf ? selection.leafId.value === leaf.id : call !== null && selection.callId.value === call.id;
  return (
    <li data-selected={isSelected ? "" : undefined}>
      <b class="trail-at">{trail.numbers.value.get(holderOf(place))}</b>
      {leaf || call ? (
        <button type="button" class="finding-text" onClick={show} title="Shows it in the graph">
          {text}
        </button>
      ) : (
        <span class="finding-text">{text}</span>
      )}
      {call && <CallLink call={call} />}
      <code>{path.replace(/^\$\.?/, "")}</code>
      <span class="num">+{duration(us)}</span>
    </li>
  );
}

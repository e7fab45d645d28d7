/**
 * Every mark on the page with its meaning, as the help lists them.
 */

import type { JSX } from "preact";
import { LineSample, type LineKind } from "../graph/line-sample.tsx";
import { Icon } from "../page/icons.tsx";
import { Method, Status } from "../page/widgets.tsx";

type Mark = readonly [sample: JSX.Element | string, means: string];

const BEANS: readonly Mark[] = [
  [<Icon name="controller" />, "the bean's stereotype, as the legend names it"],
  [<Icon name="unrecorded" />, "not traceable; the Bean tab says why"],
  ["bold outline", "on the critical path of the run"],
  ["fill", "its own time, as a share of the run"],
  ["2× 1.2 ms", "how often it was called if more than once, and for how long"],
  ["!", "a call threw here"],
  ["not recorded", "on the path, but its calls are not recorded"],
  ["faint", "the route cannot reach it"],
  ["ring", "selected, found, or the current step"],
  ["+37 repositories", "not on the path; a click shows them"],
  ["3 SQL  1.2 ms", "what its calls did below the beans"],
  ["dashed frame", "another service that the run led to"],
  ["( GET )", "where the route enters; filled once a run is shown"],
];

const LISTS: readonly Mark[] = [
  [<Method name="QUERY" />, "a method, in the same colour everywhere"],
  [<Status code={404} />, "a status: muted 3xx, bold from 400, the colour of errors from 500 and for none"],
  ["A  B", "marked to be compared"],
  [<Icon name="pin" />, "pinned: kept when others are dropped"],
  ["≠", "the response breaks the route's contract"],
  [<Method name="WS" />, "a handler of a WebSocket; its connection is a GET with 101"],
  ["bold time", "in History: sent from this page"],
  ["bar", "in the Timeline: full is own work, pale waits, hatched blocks the event loop, fading out did not settle"],
  ["line below bars", "the critical path: what bounded the end of the run"],
  ["slow", "longer than slowMs"],
  ["1/2", "the first of two calls with the same arguments"],
  ["attempt 2/2", "the same call again after it threw"],
  [<Icon name="sql" />, "SQL; each kind has its icon and colour"],
  ["▾ 3", "three things below this call; a click hides them"],
  ["N+1 2/5", "the second of five statements alike"],
  ["! threw", "the error began in this call; a bare ! passed it on"],
];

/** The marks, group by group. */
export function Marks(): JSX.Element {
  const lines = Object.entries(LINES) as [LineKind, string][];
  return (
    <>
      <MarkList title="Lines" marks={lines.map(([kind, means]) => [<LineSample kind={kind} />, means])} />
      <MarkList title="Beans" marks={BEANS} />
      <MarkList title="Runs and calls" marks={LISTS} />
    </>
  );
}

const LINES: Readonly<Record<LineKind, string>> = {
  depends: "grey: the bean depends on the other",
  called: "in the method's colour: the run called along it; as wide as the time behind it",
  aside: "thin: called, but off the critical path, so it did not make the run longer",
  undeclared: "bold with a hollow arrow: called, though no such dependency is declared",
  both: "bold: both runs called along it",
  a: "dotted: only run A",
  b: "dashed: only run B",
};

function MarkList(props: { readonly title: string; readonly marks: readonly Mark[] }): JSX.Element {
  return (
    <>
      <h3>{props.title}</h3>
      <dl class="marks">
        {props.marks.map(([sample, means]) => (
          <div key={means}>
            <dt>{sample}</dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/**
 * Every mark on the page and what it means, as the help lists them.
 */

import type { JSX } from "preact";
import { LINES, LineSample } from "../graph/line-sample.tsx";
import type { LineKind } from "../graph/line-sample.tsx";
import { Icon } from "../page/icons.tsx";
import { Method, Status } from "../page/widgets.tsx";

const BEANS: readonly (readonly [sample: JSX.Element | string, means: string])[] = [
  [
    <Icon name="controller" />,
    "a controller; the stripe's colour and icon are the bean's stereotype, the legend names them",
  ],
  [<Icon name="unrecorded" />, "not traceable: its calls are not recorded; the Node tab says how to change that"],
  ["bold outline", "on the path of the run, in the colour of its method"],
  ["2×  1.2 ms", "how often it was called, and for how long at least one of its calls was running"],
  ["!", "a call threw here; the outline is in the colour of errors"],
  ["not recorded", "the path leads through it, but its calls are not recorded"],
  ["faint", "the route cannot reach it"],
  ["ring", "selected, found, or the call of the current step; what was found is tinted too"],
  ["+37 repositories", "not on the path and collapsed, so that the path can be read; a click shows them"],
  ["3 SQL  1.2 ms", "what its calls did below the beans; where room is short, an icon of it"],
  ["dashed frame", "the beans of another service that the run led to"],
  ["( GET )", "where the route enters; filled once a run is shown"],
];

const LISTS: readonly (readonly [sample: JSX.Element | string, means: string])[] = [
  [<Method name="QUERY" />, "a method has the same colour wherever it stands; any without one of its own is grey"],
  [<Status code={404} />, "amber a status of 4xx, the colour of errors 5xx and no response, teal 3xx, green the rest"],
  ["A  B", "the runs that are marked to be compared"],
  [<Icon name="pin" />, "pinned: kept when older runs are dropped"],
  ["≠", "contract broken: the response is not what the route's contract says"],
  [<Method name="WS" />, "a handler of a WebSocket; its connection is a run of its own, a GET with 101"],
  ["bold time", "in History: sent from this page"],
  ["bar", "in the Timeline: full colour and underlined is on the critical path, fading out did not settle"],
  ["slow", "longer than slowMs"],
  ["1/2", "the first of two calls with the same arguments"],
  [<Icon name="sql" />, "SQL; likewise HTTP, cache, message, span and log have an icon and a colour of their own"],
  ["▾ 3", "three things below this call; a click hides them"],
  ["N+1 2/5", "the second of five statements that differ in their values alone"],
  ["! threw", "the error began in this call; a bare ! passed it on"],
];

/** The marks, a group after the other. */
export function Marks(): JSX.Element {
  const lines = Object.entries(LINES) as [LineKind, string][];
  return (
    <>
      <h3>Lines</h3>
      <dl class="marks">
        {lines.map(([kind, means]) => (
          <div key={kind} data-mark={kind}>
            <dt>
              <LineSample kind={kind} />
            </dt>
            <dd>{LINE_HELP[kind] ?? means}</dd>
          </div>
        ))}
      </dl>
      <MarkList title="Beans" marks={BEANS} />
      <MarkList title="Runs and calls" marks={LISTS} />
    </>
  );
}

const LINE_HELP: Readonly<Partial<Record<LineKind, string>>> = {
  depends: "thin: the bean depends on the other; the arrow points at what it needs, also where that closes a cycle",
  called: "bold: the run called along it, in the colour of its method",
  undeclared:
    "bold with a hollow arrow: called, though the graph declares no such dependency; it is led round all beans",
  both: "bold and solid, comparing two runs: both called along it",
  a: "dotted, of a line or an outline: only run A",
  b: "dashed, of a line or an outline: only run B",
};

function MarkList(props: {
  readonly title: string;
  readonly marks: readonly (readonly [sample: JSX.Element | string, means: string])[];
}): JSX.Element {
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

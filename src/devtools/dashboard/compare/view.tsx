/**
 * The Compare tab: two marked runs, the cost of each bean in either, and the differences of calls and responses.
 */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Json, Trace } from "../../run/shapes.ts";
import { KINDS, spentText } from "../../run/spent.ts";
import { sqlLines } from "../../run/statements.ts";
import { clock, count, delta, duration, grouped, shownPath } from "../../run/format.ts";
import { Empty, Failure, IconButton, Method, Status, Table } from "../page/widgets.tsx";
import type { DifferentCall, Differences, LeafChange } from "../../run/compare/differences.ts";
import { selection } from "../store/page-store.ts";
import type { BeanChange, Comparison } from "./compare.ts";
import type { Difference } from "../../run/compare/diff.ts";
import { comparison } from "./page-comparison.ts";

const MAX_ROWS = 100;
const MAX_VALUE = 160;

/** The Compare tab. */
export function Compare(): JSX.Element {
  useEffect(() => comparison.follow(), []);
  const [a, b] = [comparison.markedA.value, comparison.markedB.value];
  const found = comparison.comparison.value;
  return (
    <div class="compare">
      <div class="versus">
        <Side name="A" trace={a} />
        <Side name="B" trace={b} />
        <IconButton icon="swap" label="Swap A and B" onClick={() => selection.swapMarks()} />
        <button type="button" class="quiet" onClick={() => selection.clearMarks()}>
          Clear marks
        </button>
      </div>
      {found ? (
        <Found found={found} />
      ) : (
        <Empty title="Mark two runs">
          Select a run and press A or B above. The graph then shows what both did, and what only one.
        </Empty>
      )}
    </div>
  );
}

function Side({ name, trace }: { readonly name: string; readonly trace: Trace | null }): JSX.Element {
  if (!trace)
    return (
      <span class="side muted">
        <b class="mark">{name}</b> no run marked
      </span>
    );
  return (
    <button type="button" class="side" title={`Show run ${name}`} onClick={() => selection.selectTrace(trace)}>
      <b class="mark">{name}</b>
      <Method name={trace.method} />
      <code>{shownPath(trace.path)}</code>
      <Status code={trace.status} />
      <span class="num">{duration(trace.durationUs)}</span>
      <span class="muted">{clock(trace.startedAt)}</span>
    </button>
  );
}

function Found({ found }: { readonly found: Comparison }): JSX.Element {
  const { a, b, beans } = found;
  const differences = comparison.differences.value;
  return (
    <>
      <p class="hint" role="status">
        B took {delta(b.durationUs - a.durationUs)} · {count(a.calls.length, "call")} in A, {grouped(b.calls.length)} in
        B
        {differences &&
          ` · ${count(differences.response.length, "difference")} in the response, ${count(differences.calls.length, "call")} differ`}
      </p>
      <Failure reason={comparison.failure.value} />
      {differences && (
        <>
          <h3>Response</h3>
          <DifferenceList list={differences.response} nothing="Status and body are the same." />
        </>
      )}
      <h3>Beans</h3>
      <Beans beans={beans} />
      {differences && (
        <>
          <Leaves found={differences} />
          <Calls list={differences.calls} />
        </>
      )}
    </>
  );
}

function Calls({ list }: { readonly list: readonly DifferentCall[] }): JSX.Element {
  return (
    <>
      <h3>Calls that differ</h3>
      {list.length === 0 && <p class="hint">Every call had the same arguments and result.</p>}
      {list.slice(0, MAX_ROWS).map((call) => (
        <CallRow call={call} />
      ))}
      {list.length > MAX_ROWS && <p class="hint">{count(list.length - MAX_ROWS, "more call")} differ.</p>}
    </>
  );
}

const COLUMNS = ["A", "B", "B − A"];
const SIDES = { both: "both", a: "only A", b: "only B" } as const;

function Beans({ beans }: { readonly beans: readonly BeanChange[] }): JSX.Element {
  const spent = ({ count: n, totalUs }: BeanChange["a"]): string => (n === 0 ? "—" : `${n}× ${duration(totalUs)}`);
  return (
    <Table class="beans" head={["Bean", ...COLUMNS]}>
      {beans.map((bean) => (
        <tr key={bean.id} data-side={bean.side}>
          <th scope="row">
            <button type="button" class="link" onClick={() => selection.selectBean(bean.id)}>
              {selection.beanName(bean.id)}
            </button>
            {bean.side !== "both" && <em class="flag">{SIDES[bean.side]}</em>}
          </th>
          <td class="num">{spent(bean.a)}</td>
          <td class="num">{spent(bean.b)}</td>
          <td class="num">{delta(bean.deltaUs)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** The leaves of the runs, and the place where their statements diverge. */
function Leaves({ found }: { readonly found: Differences }): JSX.Element | null {
  const { leaves, statement } = found;
  if (leaves.length === 0) return null;
  const spent = (kind: LeafChange["kind"], one: LeafChange["a"]): string =>
    one.count === 0 ? "—" : spentText({ kind, ...one });
  return (
    <>
      <h3>Below the beans</h3>
      <Table class="beans" head={["Kind", ...COLUMNS]}>
        {leaves.map(({ kind, a, b }) => (
          <tr key={kind} data-kind={kind}>
            <th scope="row">{KINDS[kind][1]}</th>
            <td class="num">{spent(kind, a)}</td>
            <td class="num">{spent(kind, b)}</td>
            <td class="num">{delta(b.totalUs - a.totalUs)}</td>
          </tr>
        ))}
      </Table>
      {statement ? (
        <>
          <h4>First statement that differs: number {statement.index + 1}</h4>
          <div class="two">
            {(["a", "b"] as const).map((side) => (
              <pre key={side} class="sql" tabIndex={0} aria-label={`Statement of ${side.toUpperCase()}`}>
                {statement[side] === null ? "no further statement" : sqlLines(statement[side])}
              </pre>
            ))}
          </div>
        </>
      ) : (
        leaves.some(({ kind }) => kind === "sql") && <p class="hint">Both sent the same statements.</p>
      )}
    </>
  );
}

function CallRow({ call }: { readonly call: DifferentCall }): JSX.Element {
  const { side, bean, method, durationUs, args, differences } = call;
  return (
    <details class="call-diff" data-side={side} open={side === "both"}>
      <summary>
        <code>
          {selection.beanName(bean)}.<b>{method}</b>()
        </code>
        <em class="flag">{side === "both" ? count(differences.length, "difference") : SIDES[side]}</em>
        <span class="muted num">{duration(durationUs)}</span>
      </summary>
      {side === "both" ? <DifferenceList list={differences} nothing="" /> : <code class="value">{shorten(args)}</code>}
    </details>
  );
}

function DifferenceList(props: { readonly list: readonly Difference[]; readonly nothing: string }): JSX.Element {
  const { list } = props;
  if (list.length === 0) return <p class="hint">{props.nothing}</p>;
  return (
    <ul class="differences">
      {list.slice(0, MAX_ROWS).map((one) => (
        <li key={`${one.kind} ${one.path}`} data-kind={one.kind}>
          <code class="j-key">{one.path}</code>
          {one.kind !== "added" && <del>{shorten(one.before)}</del>}
          {one.kind !== "removed" && <ins>{shorten(one.after)}</ins>}
        </li>
      ))}
      {list.length > MAX_ROWS && <li class="muted">{count(list.length - MAX_ROWS, "more difference")}</li>}
    </ul>
  );
}

function shorten(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}… ${count(text.length, "character")}`;
}

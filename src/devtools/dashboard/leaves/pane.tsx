/**
 * One leaf: a statement on its lines with its parameters and rows, a request with its headers, a log line with its
 * fields, and the chain of calls around it.
 */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Call, Json, Leaf, LeafError, RunReference, SqlDetail, Trace } from "../../run/shapes.ts";
import { JsonView } from "../json/view.tsx";
import { valuesIn } from "../../run/origin.ts";
import { duration } from "../../run/format.ts";
import { Icon } from "../page/icons.tsx";
import { wanted } from "../page/wanted.ts";
import { CopyButton, IconButton } from "../page/widgets.tsx";
import { application, selection } from "../store/page-store.ts";
import { KINDS, outcomeOf } from "../../run/spent.ts";
import { sqlLines, sqlText } from "../../run/statements.ts";

/** The open leaf, at the lower end of a panel; nothing without one. */
export function LeafPane(): JSX.Element | null {
  const id = selection.leafId.value;
  const trace = selection.whole.value;
  const leaf = id === null ? undefined : trace?.leaves.find((one) => one.id === id);
  if (!leaf || !trace) return null;
  return (
    <section class="leaf-pane" aria-label="Below the beans" data-kind={leaf.kind}>
      <header>
        <Icon name={leaf.kind} />
        <b>{KINDS[leaf.kind][0]}</b>
        <span class="num">{outcomeOf(leaf)}</span>
        <span class="num muted">
          +{duration(leaf.startUs)} · {duration(leaf.durationUs)}
        </span>
        <span class="grow" />
        {leaf.kind === "sql" && <CopyButton label="Copy SQL" text={() => sqlText(leaf.detail)} />}
        <IconButton icon="close" label="Close what is open" isQuiet onClick={() => selection.selectLeaf(null)} />
      </header>
      <div class="leaf-body" tabIndex={0} role="group" aria-label="Details">
        <CallChain calls={trace.calls} from={leaf.parentId} />
        {leaf.kind === "http" && leaf.detail.run && <Elsewhere run={leaf.detail.run} />}
        {leaf.error && <Failed error={leaf.error} />}
        <LeafDetail key={leaf.id} leaf={leaf} />
        <Values leaf={leaf} trace={trace} />
      </div>
    </section>
  );
}

/** The values in a log line's message or in a statement that the run has elsewhere, each with the way to its origin. */
function Values({ leaf, trace }: { readonly leaf: Leaf; readonly trace: Trace }): JSX.Element | null {
  const text = leaf.kind === "log" ? leaf.detail.message : leaf.kind === "sql" ? leaf.detail.statement : "";
  const values = useMemo(() => valuesIn(text, leaf, trace), [leaf, trace]);
  if (values.length === 0) return null;
  return (
    <p class="hint">
      Where from?{" "}
      {values.map((value) => (
        <button key={value} type="button" class="link" onClick={() => (wanted.value = value)}>
          {value}
        </button>
      ))}
    </p>
  );
}

/** Where the run continued, if that part is not available. */
function Elsewhere({ run }: { readonly run: RunReference }): JSX.Element {
  const { services } = application;
  const found = [...services.value].find(([key]) => key.endsWith(`${run.origin} ${run.id}`))?.[1];
  return (
    <p class="hint">
      Went on as run <code>{run.id}</code> of{" "}
      {typeof found === "object" ? <b>{found.name}</b> : <code>{run.origin}</code>}
      {typeof found === "string" && `, which could not be read: ${found}`}
    </p>
  );
}

function Failed({ error }: { readonly error: LeafError }): JSX.Element {
  return (
    <p class="notice error">
      <b>{error.name}</b> {error.message}
    </p>
  );
}

/** The chain of calls around it, the outermost first. */
export function CallChain(props: {
  readonly calls: readonly Call[];
  readonly from: number | null;
  readonly words?: string;
}): JSX.Element {
  const byId = new Map(props.calls.map((call) => [call.id, call]));
  const chain: Call[] = [];
  for (let at = props.from; at !== null;) {
    const call = byId.get(at);
    if (!call || chain.length > 100) break;
    chain.unshift(call);
    at = call.parentId;
  }
  if (chain.length === 0) return <p class="hint">by the request itself, outside of any recorded call</p>;
  return (
    <p class="chain">
      {props.words !== undefined && `${props.words} `}
      {chain.map((call, i) => (
        <span key={call.id}>
          {i > 0 && " › "}
          <CallLink call={call} />
        </span>
      ))}
    </p>
  );
}

/** A call by its name. A click shows it in the Bean tab. */
export function CallLink(props: {
  readonly call: Call;
  readonly more?: Readonly<Record<string, string | number>>;
}): JSX.Element {
  const { bean, id, method } = props.call;
  return (
    <button
      type="button"
      class="link"
      {...props.more}
      onClick={(event) => {
        event.stopPropagation();
        selection.selectBean(bean, id);
      }}
    >
      {selection.beanName(bean)}.{method}
    </button>
  );
}

/** The details of a leaf. */
export function LeafDetail({ leaf }: { readonly leaf: Leaf }): JSX.Element {
  if (leaf.kind === "sql") return <Statement detail={leaf.detail} />;
  return <JsonView value={leaf.detail as unknown as Json} label={`Details of ${leaf.name}`} rows={14} tagged />;
}

function Statement({ detail }: { readonly detail: SqlDetail }): JSX.Element {
  const { statement, parameters, result } = detail;
  return (
    <>
      <pre class="sql" tabIndex={0} aria-label="Statement">
        {sqlLines(statement)}
      </pre>
      <div class="two">
        <div>
          <h3>Parameters</h3>
          {parameters.length === 0 ? (
            <p class="hint">none</p>
          ) : (
            <JsonView value={parameters} label="Parameters" rows={10} tagged />
          )}
        </div>
        <div>
          <h3>Rows</h3>
          {result === undefined ? (
            <p class="hint">{detail.rows === null ? "not known" : `${detail.rows}, not recorded`}</p>
          ) : (
            <JsonView value={result} label="Rows" rows={10} tagged />
          )}
        </div>
      </div>
    </>
  );
}

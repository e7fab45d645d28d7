/**
 * One bean: its description, its dependencies and dependents, and its calls in the selected run.
 */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { BeanNode, Call, ErrorInfo, Json, Leaf, Trace, UntracedReason } from "../../run/shapes.ts";
import { JsonView } from "../json/view.tsx";
import { LeafDetail } from "../leaves/pane.tsx";
import { leafText, outcomeOf } from "../../run/spent.ts";
import { ErrorPlaces, Place } from "../page/error-view.tsx";
import { count, duration } from "../../run/format.ts";
import { Icon } from "../page/icons.tsx";
import { Empty } from "../page/widgets.tsx";
import { history } from "../runs/page-runs.ts";
import { selection } from "../store/page-store.ts";
import { useSlice } from "../store/slice.ts";
import { WhatIfAction } from "../replay/view.tsx";
import { shownArguments } from "./arguments.ts";
import { methodsSlice } from "./sources.ts";

const methods = useSlice(methodsSlice);

/** The Bean tab. */
export function NodePanel(): JSX.Element {
  const id = selection.bean.value;
  const bean = id === null ? undefined : selection.beans.value.get(id);
  if (!bean)
    return <Empty title="No bean selected">Click a bean in the graph to see its dependencies and calls.</Empty>;
  const { edges } = selection.graph.value;
  const service = selection.islands.value.get(bean.id);
  return (
    <div class="bean">
      <h2>
        {bean.name}
        <span class="tag" data-stereotype={bean.stereotype}>
          <Icon name={bean.stereotype} />
          {bean.stereotype}
        </span>
      </h2>
      <p class="muted">
        implemented by <code>{bean.implementation}</code>
        {service !== undefined && (
          <>
            {" "}
            in the service <b>{service}</b>
          </>
        )}
      </p>
      {!bean.traceable && <p class="notice">{WHY[bean.reason ?? "class"]}</p>}
      <div class="two">
        <Chips title="Depends on" ids={edges.filter((e) => e.from === bean.id).map((e) => e.to)} />
        <Chips title="Used by" ids={edges.filter((e) => e.to === bean.id).map((e) => e.from)} />
      </div>
      <Calls bean={bean} />
      <button type="button" class="quiet" onClick={() => history.showRunsOf(bean.id)}>
        Runs that called it
      </button>
    </div>
  );
}

/** Why a bean's calls are not recorded, and how to record them. */
const WHY: Readonly<Record<UntracedReason, string>> = {
  class:
    "Not traceable: it is bound as a concrete class, so there is nothing to record its calls at. Bind it by an interface token or an abstract class.",
  function: "Not traceable: it is a function. Bind an object with that function as a method.",
  proxy: "Not traceable: it is a proxy: reading it would run its traps. Bind the object behind it.",
  uninstrumented:
    "Not traceable: the container was built without the recorder. Add .instrument(devtools.recorder()) before .start().",
  failed: "Not traceable: the recorder failed on it; beans.warnings has the reason.",
};

function Chips({ title, ids }: { readonly title: string; readonly ids: readonly string[] }): JSX.Element {
  return (
    <div>
      <h3>{title}</h3>
      {ids.length === 0 && <p class="hint">nothing</p>}
      <div class="chips">
        {ids.map((id) => (
          <button
            key={id}
            type="button"
            class="chip"
            data-stereotype={selection.beans.value.get(id)?.stereotype}
            onClick={() => {
              selection.selectBean(id);
              // The button may disappear with that, so the focus stays in the panel.
              requestAnimationFrame(() => document.getElementById("panel-node")?.focus());
            }}
          >
            {selection.beanName(id)}
          </button>
        ))}
      </div>
    </div>
  );
}

/** How many calls are drawn at first; the rest on demand, one page more at a time. */
const PAGE = 20;

function Calls({ bean }: { readonly bean: BeanNode }): JSX.Element {
  const { load } = methods;
  const trace = selection.whole.value;
  const instance = trace?.instance;
  useLayoutEffect(() => {
    if (instance !== undefined) void load(instance);
  }, [instance]);
  if (!trace) return <p class="hint">Send the request, or pick a run in History, to see this bean's calls.</p>;
  const calls = trace.calls.filter((call) => call.bean === bean.id);
  const wanted = calls.findIndex((call) => call.id === selection.callId.value);
  const shown = calls.slice(0, Math.max(PAGE, wanted + 1));
  return (
    <>
      <h3>
        In this run:{" "}
        {calls.length === 0 ? (bean.traceable ? "not called" : "not recorded") : count(calls.length, "call")}
      </h3>
      {shown.map((call, i) => (
        <CallCard
          key={`${trace.sequence} ${call.id}`}
          trace={trace}
          call={call}
          index={i + 1}
          bean={bean}
          current={i === wanted}
        />
      ))}
      {shown.length < calls.length && (
        <p class="hint">{calls.length - shown.length} more; open one from the Timeline.</p>
      )}
    </>
  );
}

/** A call's error, as recorded where it was seen first, in a call below this one. */
function errorOf(call: Call, trace: Trace): ErrorInfo {
  const { error } = call;
  const same = (other: ErrorInfo | null): boolean => other?.name === error?.name && other?.message === error?.message;
  const whole = [call, ...trace.calls.slice(call.id + 1)].find(
    (one) => one.error?.stack !== undefined && same(one.error),
  );
  return whole?.error ?? error ?? { name: "", message: "" };
}

/** How many leaves of a call are listed; the Timeline has them all. */
const LEAVES = 20;

function Below({ leaves }: { readonly leaves: readonly Leaf[] }): JSX.Element | null {
  if (leaves.length === 0) return null;
  return (
    <div class="below">
      <h4>Below it</h4>
      {leaves.slice(0, LEAVES).map((leaf) => (
        <BelowRow key={leaf.id} leaf={leaf} />
      ))}
      {leaves.length > LEAVES && <p class="hint">{leaves.length - LEAVES} more; the Timeline has them.</p>}
    </div>
  );
}

function BelowRow({ leaf }: { readonly leaf: Leaf }): JSX.Element {
  const open = useSignal(false);
  return (
    <details data-leaf={leaf.id} data-kind={leaf.kind} onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>
        <Icon name={leaf.kind} />
        <code>{leafText(leaf)}</code>
        <span class="grow" />
        {leaf.error && <em class="flag error">! {leaf.error.message}</em>}
        <span class="num muted">{outcomeOf(leaf)}</span>
        {leaf.kind !== "log" && <b class="num">{duration(leaf.durationUs)}</b>}
      </summary>
      {open.value && <LeafDetail leaf={leaf} />}
    </details>
  );
}

/** Whether a call is one of the selected request itself. Calls of other services, and of a job, cannot be made again. */
function isOwn(call: Call): boolean {
  const { kind, calls = [] } = selection.trace.value ?? {};
  const own = kind === undefined ? calls[call.id] : undefined;
  return own?.bean === call.bean && own.method === call.method;
}

function CallCard(props: {
  readonly trace: Trace;
  readonly call: Call;
  readonly index: number;
  readonly bean: BeanNode;
  readonly current: boolean;
}): JSX.Element {
  const { call } = props;
  const place = methods.placeOf(call);
  const card = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (props.current) card.current?.scrollIntoView({ block: "nearest" });
  }, [props.current]);
  return (
    <section
      ref={card}
      class="call"
      data-call={call.id}
      data-failed={call.error ? "" : undefined}
      data-current={props.current ? "" : undefined}
      aria-label={`Call ${props.index}: ${call.method}`}
    >
      <header>
        <span class="muted">#{props.index}</span>
        <code>
          <span class="cut">{props.bean.name}</span>
          <span class="whole">
            .<b>{call.method}</b>()
          </span>
        </code>
        {call.async && <span class="flag">async</span>}
        {place && <Place of={place} />}
        <span class="grow" />
        <span class="num muted">+{duration(call.startUs)}</span>
        <b class="num">{duration(call.durationUs)}</b>
        {isOwn(call) && <WhatIfAction call={call} />}
      </header>
      <div class="two">
        <div>
          <h4>Arguments</h4>
          {call.args.length === 0 ? (
            <p class="hint">none</p>
          ) : (
            <JsonView value={shownArguments(call)} label={`Arguments of call ${props.index}`} rows={14} tagged />
          )}
        </div>
        <div>
          <h4>{call.error ? "Threw" : "Returned"}</h4>
          {call.error ? (
            <JsonView
              value={{ name: call.error.name, message: call.error.message } satisfies Json}
              label={`Error of call ${props.index}`}
              rows={14}
              tagged={false}
            />
          ) : (
            <JsonView value={call.result} label={`Result of call ${props.index}`} rows={14} tagged />
          )}
        </div>
      </div>
      <Below leaves={props.trace.leaves.filter(({ parentId }) => parentId === call.id)} />
      {call.error && <ErrorPlaces error={errorOf(call, props.trace)} />}
    </section>
  );
}

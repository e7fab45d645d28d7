/**
 * The response: what the browser received if this page sent it, or else the recorded one. Above it are the
 * error, the target of a redirect, and missing parts.
 */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { threwHere } from "../../run/calls.ts";
import { attemptWords } from "../../run/jobs.ts";
import type { Call, Trace } from "../../run/shapes.ts";
import { pathOf } from "../json/rows.ts";
import { CallChain, CallLink } from "../leaves/pane.tsx";
import { runText } from "../../run/spent.ts";
import { ErrorPlaces } from "../page/error-view.tsx";
import { clock, count, duration, shownPath, size, traceKey } from "../../run/format.ts";
import { Empty, NoRun, Status } from "../page/widgets.tsx";
import { selection } from "../store/page-store.ts";
import { Annotations } from "./annotations-view.tsx";
import { ReceivedBody, RecordedBody, TextBlock } from "./body-view.tsx";
import { recordedItems } from "../../run/event-stream.ts";
import { IssueList, ResponseSchemas } from "./contract-view.tsx";
import { FieldTable, fieldsOf } from "./field-table.tsx";
import { ItemList } from "./item-list.tsx";
import { faultOf, NO_ITEMS, responseWords, withEvents, type ItemLog, type LogItem } from "./item-log.ts";
import type { ReceivedResponse } from "./receive.ts";
import { STOPPED } from "./send.ts";
import { drafts, send, socket } from "./page-request.ts";
import { JobLinks } from "./job-links.tsx";
import { Console, SocketRuns } from "./socket-view.tsx";

/** The Response tab. */
export function Response(): JSX.Element {
  const trace = selection.trace.value;
  const exchange = send.exchange.value;
  const response = exchange?.response;
  const route = selection.route.value;
  if (!trace && !response && route && socket.isSocket.value) return <Console route={route} />;
  if (exchange && !trace && !response && exchange.failure === undefined)
    return <Empty title="Sending…">Press Stop to cancel the request.</Empty>;
  if (exchange?.failure !== undefined && !trace)
    return (
      <Empty title="No response">
        {exchange.failure}.{exchange.failure !== STOPPED && " Is the application running? Send again once it is."}
      </Empty>
    );
  if (!trace && !response) return <NoRun />;
  const declared = route?.contract?.responses?.[String(response?.status || trace?.status)];
  const fault = (item: LogItem): string | undefined => faultOf(declared, item);
  const wrong = trace?.contractIssues?.map(({ pointer }) => pathOf(pointer));
  const schema = (
    <>
      {declared?.kind && <p class="hint origin">Declared: {responseWords(declared)}.</p>}
      <ResponseSchemas of="the response" declared={declared} />
    </>
  );
  const notes = <Notes trace={trace} response={response} notice={trace ? undefined : exchange?.notice} />;
  // The browser hides a redirect that it does not follow, so only the recorded one is available.
  if (!response || response.status === 0)
    return (
      <>
        <Summary trace={trace} response={undefined} views={null} />
        {notes}
        {trace && <SocketRuns key={`${traceKey(trace)} messages`} trace={trace} />}
        {trace && trace.kind !== "websocket" && trace.status !== 101 && (
          <Recorded key={traceKey(trace)} trace={trace} wrong={wrong} faultOf={fault} />
        )}
        {!trace?.kind && trace && <FieldTable name="header" fields={fieldsOf(trace.response.headers)} />}
        {schema}
      </>
    );
  return (
    <>
      <ReceivedBody
        key={exchange?.correlationId}
        response={response}
        wrong={wrong}
        faultOf={fault}
        head={(views) => (
          <>
            <Summary trace={trace} response={response} views={views} />
            {notes}
          </>
        )}
      />
      <FieldTable name="header" fields={response.headers} />
      {schema}
    </>
  );
}

const itemName = ({ items }: ItemLog): string => (items[0]?.name ? "event" : "row");

/** A recorded body; that of a stream as its events or rows, with the text below them. */
function Recorded(props: {
  readonly trace: Trace;
  readonly wrong: readonly string[] | undefined;
  readonly faultOf: (item: LogItem) => string | undefined;
}): JSX.Element {
  const { trace, wrong } = props;
  const stream = useMemo(() => recordedItems(trace), [trace]);
  const log = useMemo(() => withEvents(NO_ITEMS, stream?.items ?? []), [stream]);
  if (!stream || log.count === 0) return <RecordedBody body={trace.response.body} of="response" wrong={wrong} />;
  const one = itemName(log);
  return (
    <>
      <ItemList log={log} label="Response body" one={one} faultOf={props.faultOf} />
      {stream.left > 0 && <p class="hint origin">The run keeps the beginning: {count(log.count, `whole ${one}`)}.</p>}
      <details class="schema">
        <summary>As text</summary>
        <TextBlock text={stream.text} label="Response body as text" />
      </details>
    </>
  );
}

const KINDS = {
  trace: "devtools.trace",
  background: "in the background",
  websocket: "of a WebSocket",
  job: "of a job",
} as const;

function Summary(props: {
  readonly trace: Trace | null;
  readonly response: ReceivedResponse | undefined;
  readonly views: JSX.Element | null;
}): JSX.Element {
  const { trace, response } = props;
  const bytes = response?.bytes.length ?? trace?.response.bytes ?? 0;
  return (
    <div class="summary" role="status">
      <Status code={response?.status ?? trace?.status ?? 0} of={trace?.kind} />
      {response?.statusText ? <span>{response.statusText}</span> : null}
      <b title={trace ? "inside the application" : "measured in the browser"}>
        {duration(trace?.durationUs ?? response?.durationUs ?? 0)}
      </b>
      {trace?.kind ? (
        <span>{trace.job ? attemptWords(trace.job) : KINDS[trace.kind]}</span>
      ) : (
        <span>{size(bytes)}</span>
      )}
      {trace?.event && <span class="flag">{trace.event}</span>}
      {trace && <span>{runText(selection.whole.value ?? trace)}</span>}
      {trace?.contractIssues && <span class="flag error">contract broken</span>}
      {trace?.aborted && <span class="flag">aborted</span>}
      {response?.state && <span class="flag">{response.state}</span>}
      {response?.stream && <span>{count(response.stream.count, itemName(response.stream))}</span>}
      {response?.state === "arriving" && (
        <button type="button" class="stop" aria-label="Stop the response" onClick={() => send.stop()}>
          Stop
        </button>
      )}
      <span class="grow" />
      {trace && (
        <code
          class="muted"
          title={`${trace.method} ${shownPath(trace.path)} at ${clock(trace.startedAt)}, trace ${trace.id}`}
        >
          {trace.id}
        </code>
      )}
      {props.views}
      {trace && !trace.kind && (
        <button type="button" class="quiet" onClick={() => drafts.editRun(trace)}>
          Edit and resend
        </button>
      )}
    </div>
  );
}

function Notes(props: {
  readonly trace: Trace | null;
  readonly response: ReceivedResponse | undefined;
  readonly notice: string | undefined;
}): JSX.Element {
  const { trace, notice } = props;
  const location = trace?.response.headers["location"]?.[0];
  return (
    <>
      {notice !== undefined && <p class="notice">{notice}</p>}
      {trace && location !== undefined && <Redirect trace={trace} location={location} />}
      {trace && <Annotations trace={trace} />}
      {trace && <JobLinks trace={trace} />}
      {trace && <Failure trace={trace} />}
      {trace?.contractIssues && (
        <div class="notice error" data-broken>
          <IssueList title="The response breaks the contract" issues={trace.contractIssues} />
        </div>
      )}
      {trace && <NoBean trace={trace} />}
    </>
  );
}

/** A route without beans, which the graph shows nothing of. That is not an error. */
function NoBean({ trace }: { readonly trace: Trace }): JSX.Element | null {
  const isEmpty = trace.calls.length === 0 && trace.droppedCalls === 0 && selection.entries.value.length === 0;
  if (trace.kind || trace.route === null || !isEmpty || selection.graph.value.nodes.length === 0) return null;
  return <p class="notice calm">This request reached no bean.</p>;
}

function Redirect({ trace, location }: { readonly trace: Trace; readonly location: string }): JSX.Element {
  const redirects = trace.status >= 300 && trace.status < 400;
  return (
    <p class="notice calm">
      {redirects ? "Redirects to" : "Location"} <code>{location}</code>
      <button type="button" class="quiet" onClick={() => void send.follow(trace, location)}>
        {redirects ? "Follow" : "Open"}
      </button>
    </p>
  );
}

function Failure({ trace }: { readonly trace: Trace }): JSX.Element | null {
  const whole = selection.whole.value ?? trace;
  const origins = whole.calls.filter((call) => threwHere(call, whole.calls));
  const { error } = trace;
  if (!error && origins.length === 0) return null;
  return (
    <div class={error ? "notice error" : "notice"}>
      {error && (
        <p>
          <b>{error.name}</b> {error.message}
        </p>
      )}
      {origins.slice(0, 5).map((call) => (
        <Origin key={call.id} call={call} trace={whole} />
      ))}
      {origins.length > 5 && <p>{count(origins.length - 5, "more call")} threw; the Timeline has them.</p>}
      {error && <ErrorPlaces error={error} />}
    </div>
  );
}

function Origin({ call, trace }: { readonly call: Call; readonly trace: Trace }): JSX.Element {
  const same = call.error?.name === trace.error?.name && call.error?.message === trace.error?.message;
  return (
    <div>
      {same ? "Thrown by" : `${call.error?.name}: ${call.error?.message}, thrown by`} <CallLink call={call} />
      {same ? " " : " and caught, "}
      <span class="muted">
        call {call.id + 1}, +{duration(call.startUs)}
      </span>
      {call.parentId !== null && <CallChain calls={trace.calls} from={call.parentId} words="through" />}
    </div>
  );
}

/**
 * The request of the selected run, as the application received it. The editor next to it may hold another one.
 */

import type { JSX } from "preact";
import type { Trace } from "../../run/shapes.ts";
import { clock, shownPath, traceKey } from "../../run/format.ts";
import { Empty, Method, NoRun } from "../page/widgets.tsx";
import { application, selection } from "../store/page-store.ts";
import { CookiesAndSession } from "./annotations-view.tsx";
import { RecordedBody } from "./body-view.tsx";
import { FieldTable, fieldsOf } from "./field-table.tsx";
import { encodeQuery } from "./query-pairs.ts";
import { drafts } from "./page-request.ts";

/** The Request tab. */
export function RunRequest(): JSX.Element {
  const trace = selection.trace.value;
  if (!trace) return <NoRun />;
  if (trace.kind === "websocket") return <SocketMessage trace={trace} />;
  if (trace.kind === "job") return <RecordedBody key={traceKey(trace)} body={trace.request.body} of="request" />;
  if (trace.kind) return <Empty title="No request">{trace.path} is work beside requests.</Empty>;
  const { pathParams, query, headers, body } = trace.request;
  const pairs = fieldsOf(query);
  const search = pairs.map(([name, value]) => `${encodeQuery(name)}=${encodeQuery(value)}`).join("&");
  return (
    <>
      <div class="summary">
        <Method name={trace.method} />
        <code class="target">{shownPath(trace.path) + (search && `?${search}`)}</code>
        <span class="grow" />
        <span class="muted">{clock(trace.startedAt)}</span>
        <button type="button" class="quiet" onClick={() => drafts.editRun(trace)}>
          Edit and resend
        </button>
      </div>
      <RecordedBody key={traceKey(trace)} body={body} of="request" />
      {Object.keys(pathParams).length > 0 && <FieldTable name="path parameter" fields={fieldsOf(pathParams)} open />}
      {pairs.length > 0 && <FieldTable name="query parameter" fields={pairs} open />}
      <CookiesAndSession trace={trace} />
      <FieldTable name="header" fields={fieldsOf(headers)} open />
    </>
  );
}

function SocketMessage({ trace }: { readonly trace: Trace }): JSX.Element {
  const { traces } = application;
  const { instance, connection, request, event } = trace;
  const opened = traces.value.find((one) => one.instance === instance && one.run === connection);
  return (
    <>
      <div class="summary">
        <Method name={trace.method} />
        <code class="target">{shownPath(trace.path)}</code>
        <b>{event}</b>
        <span class="grow" />
        <span class="muted">{clock(trace.startedAt)}</span>
        {opened ? (
          <button type="button" class="quiet" onClick={() => selection.selectTrace(opened)}>
            Its connection
          </button>
        ) : (
          <span class="muted">still open</span>
        )}
      </div>
      {event === "open" ? (
        <p class="hint">Nothing has come yet.</p>
      ) : (
        <RecordedBody key={traceKey(trace)} body={request.body} of="request" />
      )}
      {Object.keys(request.pathParams).length > 0 && (
        <FieldTable name="path parameter" fields={fieldsOf(request.pathParams)} open />
      )}
    </>
  );
}

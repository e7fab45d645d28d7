/**
 * The request of the selected run, as the application got it. The editor beside it may hold another one.
 */

import type { JSX } from "preact";
import type { Trace } from "../../wire.ts";
import { clock } from "../page/format.ts";
import { Empty, Method, NoRun } from "../page/widgets.tsx";
import { applicationSlice } from "../store/application.ts";
import { traceKey } from "../store/keys.ts";
import { selectionSlice } from "../store/selection.ts";
import { useSlice } from "../store/slice.ts";
import { CookiesAndSession } from "./annotations-view.tsx";
import { RecordedBody } from "./body-view.tsx";
import { draftsSlice } from "./drafts.ts";
import { FieldTable, fieldsOf } from "./field-table.tsx";
import { encodeQuery } from "./query-pairs.ts";

/** The Request tab. */
export function RunRequest(): JSX.Element {
  const selection = useSlice(selectionSlice);
  const drafts = useSlice(draftsSlice);
  const trace = selection.trace.value;
  if (trace === null) return <NoRun />;
  if (trace.kind === "websocket") return <SocketMessage trace={trace} />;
  if (trace.kind !== undefined) return <Empty title="No request">{trace.path} is work beside requests.</Empty>;
  const { pathParams, query, headers, body } = trace.request;
  const pairs = fieldsOf(query);
  const search = pairs.map(([name, value]) => `${encodeQuery(name)}=${encodeQuery(value)}`).join("&");
  return (
    <>
      <div class="summary">
        <Method name={trace.method} />
        <code class="target">{search === "" ? trace.path : `${trace.path}?${search}`}</code>
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

/** What a handler of a WebSocket was run for, with what came. */
function SocketMessage({ trace }: { readonly trace: Trace }): JSX.Element {
  const selection = useSlice(selectionSlice);
  const { traces } = useSlice(applicationSlice);
  const { instance, connection, request, event } = trace;
  const opened = traces.value.find((one) => one.instance === instance && one.run === connection);
  return (
    <>
      <div class="summary">
        <Method name={trace.method} />
        <code class="target">{trace.path}</code>
        <b>{event}</b>
        <span class="grow" />
        <span class="muted">{clock(trace.startedAt)}</span>
        {opened === undefined ? (
          <span class="muted">still open</span>
        ) : (
          <button type="button" class="quiet" onClick={() => selection.selectTrace(opened)}>
            Its connection
          </button>
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

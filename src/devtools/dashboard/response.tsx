/**
 * The response: what the browser received if this page sent it, else what the trace recorded.
 */

import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Trace } from "../wire.ts";
import type { ReceivedResponse } from "./api.ts";
import { hexDump, readBody } from "./body.ts";
import type { BodyView } from "./body.ts";
import { clock, count, duration, size } from "./format.ts";
import { traceKey } from "./history.ts";
import { Icon } from "./icons.tsx";
import { store } from "./instance.ts";
import { JsonView } from "./json-view.tsx";
import { CopyButton, Empty, Status } from "./widgets.tsx";

/** The Response tab. */
export function Response(): JSX.Element {
  const trace = store.trace.value;
  const exchange = store.exchange.value;
  const response = exchange?.response;
  if (store.sending.value && response === undefined && exchange?.failure === undefined)
    return <Empty title="Sending…">Waiting for the application to answer.</Empty>;
  if (exchange?.failure !== undefined && trace === null) {
    return (
      <Empty title="The request failed">{exchange.failure}. Is the application running? Send again once it is.</Empty>
    );
  }
  if (trace === null && response === undefined) {
    return <Empty title="No run yet">Press Ctrl or ⌘ + Enter to send the request, or pick a run in History.</Empty>;
  }
  const notes = (
    <>
      {exchange?.notice !== undefined && trace === null && <p class="notice">{exchange.notice}</p>}
      {trace?.error && (
        <p class="notice error">
          <b>{trace.error.name}</b> {trace.error.message}
        </p>
      )}
    </>
  );
  return (
    <>
      {response === undefined && <Summary trace={trace} response={undefined} />}
      {response !== undefined && (
        <Received key={exchange?.correlationId} trace={trace} response={response} notes={notes} />
      )}
      {response === undefined && notes}
      {response === undefined && trace !== null && <Recorded trace={trace} />}
    </>
  );
}

function Summary(props: {
  readonly trace: Trace | null;
  readonly response: ReceivedResponse | undefined;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { trace, response } = props;
  const bytes = response?.bytes.length ?? trace?.response.bytes ?? 0;
  return (
    <div class="summary" role="status">
      <Status code={response?.status ?? trace?.status ?? 0} />
      {response?.statusText ? <span>{response.statusText}</span> : null}
      <b title={trace ? "inside the application" : "measured in the browser"}>
        {duration(trace?.durationUs ?? response?.durationUs ?? 0)}
      </b>
      <span>{size(bytes)}</span>
      {trace && <span>{count(trace.calls.length, "call")}</span>}
      {trace?.aborted && <span class="flag">aborted</span>}
      <span class="grow" />
      {trace && (
        <code class="muted" title={`${trace.method} ${trace.path} at ${clock(trace.startedAt)}`}>
          {trace.id}
        </code>
      )}
      {props.children}
      {trace && (
        <button
          type="button"
          class="icon-button quiet"
          aria-label="Pin"
          title="Keep this run when others are dropped"
          aria-pressed={store.pinned.value.has(traceKey(trace))}
          onClick={() => store.togglePin(traceKey(trace))}
        >
          <Icon name="pin" />
        </button>
      )}
      {trace && (
        <button type="button" class="quiet" onClick={() => store.editRun(trace)}>
          Edit and resend
        </button>
      )}
    </div>
  );
}

const VIEW_NAMES: Readonly<Record<BodyView, string>> = { json: "Tree", text: "Text", hex: "Hex" };

function Received(props: {
  readonly trace: Trace | null;
  readonly response: ReceivedResponse;
  readonly notes: JSX.Element;
}): JSX.Element {
  const { response } = props;
  const body = useMemo(() => readBody(response), [response]);
  const [view, setView] = useState<BodyView | undefined>(undefined);
  const shown = view ?? body.views[0] ?? "text";
  return (
    <>
      <Summary trace={props.trace} response={response}>
        {response.bytes.length > 0 && body.views.length > 1 && (
          <div class="views" role="group" aria-label="Show the body as">
            {body.views.map((name) => (
              <button
                key={name}
                type="button"
                class="quiet"
                aria-pressed={name === shown}
                onClick={() => setView(name)}
              >
                {VIEW_NAMES[name]}
              </button>
            ))}
          </div>
        )}
      </Summary>
      {props.notes}
      {response.bytes.length === 0 ? (
        <p class="hint">The response has no body.</p>
      ) : shown === "json" && body.json !== undefined ? (
        <JsonView value={body.json} label="Response body" rows={30} tagged={false} />
      ) : (
        <TextBlock label="Response body" text={shown === "hex" ? hexDump(response.bytes) : body.text} />
      )}
      <HeaderTable headers={response.headers} />
    </>
  );
}

/** Characters of a text that are drawn; the copy button has them all. */
const MAX_TEXT = 200_000;

function TextBlock({ label, text }: { readonly label: string; readonly text: string }): JSX.Element {
  return (
    <div class="json">
      <div class="json-tools">
        <CopyButton label="Copy" text={() => text} />
      </div>
      <pre class="text" role="region" aria-label={label} tabIndex={0}>
        {text.slice(0, MAX_TEXT)}
        {text.length > MAX_TEXT &&
          `\n… ${(text.length - MAX_TEXT).toLocaleString("en")} more characters; Copy has them all`}
      </pre>
    </div>
  );
}

function Recorded({ trace }: { readonly trace: Trace }): JSX.Element {
  const { body, headers } = trace.response;
  const pairs = Object.entries(headers).flatMap(([name, values]) => values.map((value) => [name, value] as const));
  return (
    <>
      {body === null ? (
        <p class="hint">The response had no body.</p>
      ) : typeof body === "string" ? (
        <TextBlock label="Response body" text={body} />
      ) : (
        <JsonView key={trace.sequence} value={body} label="Response body" rows={26} tagged />
      )}
      <HeaderTable headers={pairs} />
    </>
  );
}

function HeaderTable({ headers }: { readonly headers: readonly (readonly [string, string])[] }): JSX.Element {
  return (
    <details class="headers">
      <summary>{count(headers.length, "header")}</summary>
      <table>
        <tbody>
          {headers.map(([name, value], i) => (
            <tr key={i}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/**
 * The editor folded to one line: the request that Send would send, and whether it is the selected run's.
 */

import type { JSX } from "preact";
import type { RouteInfo, Trace } from "../../run/shapes.ts";
import { clock, count, shownPath, size } from "../../run/format.ts";
import { Method } from "../page/widgets.tsx";
import { application, selection } from "../store/page-store.ts";
import { bodySummary } from "./body-summary.ts";
import { CopyButtons } from "./copy-buttons.tsx";
import { draftProblems, draftUrl, hasBody } from "./draft.ts";
import type { Draft } from "./draft-text.ts";
import { OtherRequest } from "./other-request.tsx";
import { drafts, send, socket } from "./page-request.ts";

/** The line. `onEdit` opens the editor. */
export function RequestLine({ onEdit }: { readonly onEdit: () => void }): JSX.Element {
  const route = selection.route.value;
  const draft = drafts.draft.value;
  const trace = selection.trace.value;
  if (!route || !draft) return <WithoutRoute trace={trace} />;
  const method = socket.isSocket.value ? "WS" : route.method;
  const url = application.mount.value + draftUrl(route, draft);
  const body = hasBody(route.method) ? bodySummary(draft.body) : "";
  return (
    <section class="request-line" aria-label="Request" data-method={method}>
      <Method name={method} />
      <code class="url" title={url}>
        {shownPath(url)}
      </code>
      {body !== "" && <code class="body">{body}</code>}
      <Origin route={route} draft={draft} trace={trace} />
      <span class="grow" />
      <button type="button" class="quiet" onClick={onEdit}>
        Edit
      </button>
      {!socket.isSocket.value && (
        <>
          <details class="menu">
            <summary>Copy</summary>
            <div>
              <CopyButtons route={route} draft={draft} />
            </div>
          </details>
          <SendAgain />
        </>
      )}
    </section>
  );
}

function WithoutRoute({ trace }: { readonly trace: Trace | null }): JSX.Element {
  return (
    <section class="request-line" aria-label="Request">
      {trace ? (
        <>
          <Method name={trace.method} />
          <code class="url">{shownPath(trace.path)}</code>
          <span class="muted">
            {trace.kind ? "work that is not a request" : "no route took it"}, at {clock(trace.startedAt)}
          </span>
        </>
      ) : (
        <span class="muted">Pick a run in the table to send it again.</span>
      )}
    </section>
  );
}

function SendAgain(): JSX.Element {
  return send.sending.value ? (
    <button type="button" class="stop" onClick={() => send.stop()}>
      Stop
    </button>
  ) : (
    <button type="button" class="send" aria-keyshortcuts="Control+Enter Meta+Enter" onClick={() => void send.send()}>
      {selection.trace.value ? "Send again" : "Send"}
    </button>
  );
}

/** Why it cannot be sent, or else when it was sent, or that it was not. */
function Origin(props: {
  readonly route: RouteInfo;
  readonly draft: Draft;
  readonly trace: Trace | null;
}): JSX.Element | null {
  const { route, draft, trace } = props;
  const [problem] = draftProblems(route, draft);
  if (problem !== undefined && send.incomplete.value)
    return (
      <span class="problem" role="alert">
        {problem}
      </span>
    );
  if (trace && send.differs.value)
    return (
      <span class="muted origin">
        <OtherRequest of={trace} />
      </span>
    );
  if (!trace || trace.kind) return <span class="muted">not sent</span>;
  const { headers } = trace.request;
  const bytes = Number(headers["content-length"]?.[0] ?? 0);
  const facts = [bytes > 0 && size(bytes), count(Object.keys(headers).length, "header")].filter(Boolean);
  const missing = draft.leftOut?.length ?? 0;
  return (
    <span class="muted" title={draft.leftOut?.join("\n")}>
      as sent at {clock(trace.startedAt)}, {facts.join(", ")}
      {missing > 0 && `; ${count(missing, "part")} not filled in`}
    </span>
  );
}

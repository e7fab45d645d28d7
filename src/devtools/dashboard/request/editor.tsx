/**
 * The middle column: the request to send to the selected route.
 */

import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { RouteInfo } from "../../run/shapes.ts";
import { exactJson } from "../forms/schema.ts";
import { JsonEditor } from "../json/editor.tsx";
import { Choice, Empty, Failure, Method, Select } from "../page/widgets.tsx";
import { routeKey, shownPath } from "../../run/format.ts";
import { application, selection } from "../store/page-store.ts";
import { About, Declared, Rejected, SchemaText } from "./contract-view.tsx";
import { CopyButtons } from "./copy-buttons.tsx";
import {
  contentType,
  draftProblems,
  draftUrl,
  hasBody,
  isBinary,
  isJsonBody,
  isMultipart,
  isSafe,
  mediaTypes,
} from "./draft.ts";
import { WHOLE_BODY, type Draft } from "./draft-text.ts";
import { BodyForm, DeclaredFields, wantsForm } from "./declared-fields.tsx";
import { withHeader } from "./declared.ts";
import { FileField, MultipartForm } from "./multipart-form.tsx";
import { HeaderRows, QueryRows, SharedHeaderRows } from "./pair-rows.tsx";
import { OtherRequest } from "./other-request.tsx";
import { drafts, send, socket } from "./page-request.ts";
import { ConnectButton, MessagePart } from "./socket-view.tsx";

interface Part {
  readonly route: RouteInfo;
  readonly draft: Draft;
}

/** The editor of the selected route. */
export function Editor(): JSX.Element {
  const route = selection.route.value;
  const draft = drafts.draft.value;
  const form = useRef<HTMLFormElement>(null);
  const attempt = send.incomplete.value;
  // The missing field gets the focus after the message is shown.
  useLayoutEffect(() => {
    if (attempt) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [attempt]);
  if (!route || !draft) {
    return (
      <section class="editor" aria-label="Request">
        <Empty title="Pick a route">What it can reach lights up above. Send shows the path of a run.</Empty>
      </section>
    );
  }
  const [problem] = draftProblems(route, draft);
  const isTried = attempt?.route === routeKey(route);
  return (
    <section class="editor" aria-label="Request">
      <h2 class="sr">Request</h2>
      <UrlBar route={route} draft={draft} />
      <form
        ref={form}
        class="form"
        key={routeKey(route)}
        onSubmit={(event) => {
          event.preventDefault();
          void send.send();
        }}
      >
        <About route={route} />
        <Origin draft={draft} />
        <Rejected />
        {/* An error in the body is shown right below it. */}
        <Failure reason={isTried && !problem?.startsWith("Body: ") ? (problem ?? null) : null} />
        <PathParams route={route} draft={draft} isTried={isTried} />
        <QueryRows route={route} draft={draft} />
        {hasBody(route.method) && <BodyPart route={route} draft={draft} />}
        {socket.isSocket.value ? (
          <MessagePart route={route} draft={draft} />
        ) : (
          <>
            <HeaderRows route={route} draft={draft} />
            <SharedHeaderRows />
          </>
        )}
        <Declared route={route} />
        <button type="submit" class="hidden" tabIndex={-1} aria-hidden="true" />
      </form>
      <CopyBar route={route} draft={draft} />
    </section>
  );
}

function UrlBar({ route, draft }: Part): JSX.Element {
  const url = application.mount.value + draftUrl(route, draft);
  const safe = isSafe(route.method);
  const method = socket.isSocket.value ? "WS" : route.method;
  return (
    <div class="url-bar" data-method={method}>
      <Method name={method} />
      <code title={url}>{shownPath(url)}</code>
      {socket.isSocket.value ? (
        <ConnectButton onConnect={() => void send.send()} />
      ) : send.sending.value ? (
        <button type="button" class="stop" onClick={() => send.stop()}>
          Stop
        </button>
      ) : (
        <button
          type="button"
          class="send"
          title={`${route.method} ${safe ? "changes nothing: it is safe to repeat" : "may change something"} (Ctrl or ⌘ + Enter)`}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          onClick={() => void send.send()}
        >
          Send
          {route.method === "QUERY" && <small aria-hidden="true">safe to repeat</small>}
        </button>
      )}
    </div>
  );
}

/** The relation of the draft to the selected run: another request, or an incomplete copy. */
function Origin({ draft }: { readonly draft: Draft }): JSX.Element | null {
  const trace = selection.trace.value;
  if (trace && send.differs.value)
    return (
      <p class="hint origin">
        <OtherRequest of={trace} />
      </p>
    );
  if (!draft.leftOut || draft.leftOut.length === 0) return null;
  return (
    <div class="hint origin">
      Not filled in from the run:
      <ul>
        {draft.leftOut.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

/** Copies of the request, and the way back to the example. */
function CopyBar({ route, draft }: Part): JSX.Element {
  return (
    <div class="form-end">
      {!socket.isSocket.value && <CopyButtons route={route} draft={draft} />}
      <span class="grow" />
      <button
        type="button"
        class="quiet"
        title="Fills in what the last run of this route was sent"
        onClick={() => drafts.resetDraft()}
      >
        Reset to example
      </button>
    </div>
  );
}

function PathParams({ route, draft, isTried }: Part & { readonly isTried: boolean }): JSX.Element | null {
  if (route.pathParams.length === 0) return null;
  return (
    <>
      <h3>Path parameters</h3>
      <DeclaredFields route={route} draft={draft} part="params" names={route.pathParams} isTried={isTried} />
    </>
  );
}

function BodyPart({ route, draft }: Part): JSX.Element {
  const type = contentType(route, draft);
  const isJson = isJsonBody(route, draft);
  const declared = route.contract?.body;
  const root = declared?.schema ?? null;
  const value = useMemo(() => exactJson(draft.body), [draft.body]);
  const canBeForm = root !== null && (declared?.kind === "form" ? /urlencoded/i.test(type) : isJson);
  const isReadable = declared?.kind === "form" || value !== undefined || draft.body.trim() === "";
  const isForm = canBeForm && isReadable && wantsForm.value;
  const text = isJson ? "JSON" : "Text";
  return (
    <>
      <h3>
        Body
        <Select
          label="Content-Type"
          more={{ class: "media" }}
          options={mediaTypes(route, draft).map((name) => [name])}
          value={type}
          onChange={(name) => drafts.setDraft(withHeader(draft, "Content-Type", name))}
        />
        {canBeForm && (
          <Choice
            label="Edit the body as"
            names={["Form", text]}
            value={wantsForm.value ? "Form" : text}
            onChange={(name) => (wantsForm.value = name === "Form")}
          />
        )}
      </h3>
      {route.method === "QUERY" && <AcceptQuery route={route} />}
      {canBeForm && !isReadable && <p class="hint">Edited as text: a form would change more.</p>}
      {isBinary(route, draft) && <FileField route={route} name={WHOLE_BODY} label="Body from a file" />}
      {isMultipart(route, draft) ? (
        <MultipartForm route={route} draft={draft} />
      ) : !isForm ? (
        <JsonEditor value={draft.body} json={isJson} onChange={(body) => drafts.setDraft({ body })} />
      ) : declared?.kind === "form" ? (
        <DeclaredFields route={route} draft={draft} part="body" />
      ) : (
        <BodyForm root={root} value={value} />
      )}
      <SchemaText of="the body" part={declared} />
    </>
  );
}

/** The query formats of this route, from its last response, or else from its declaration. */
function AcceptQuery({ route }: { readonly route: RouteInfo }): JSX.Element {
  const said = selection.trace.value?.response.headers["accept-query"]?.[0];
  const declared = route.accept?.join(", ");
  return (
    <p class="hint">
      <code>Accept-Query: {said ?? declared ?? "not declared"}</code>
    </p>
  );
}

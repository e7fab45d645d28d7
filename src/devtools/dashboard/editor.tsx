/**
 * The middle column: what to send to the selected route.
 */

import type { JSX } from "preact";
import type { RouteInfo } from "../wire.ts";
import { toCurl, toFetch } from "./copy-as.ts";
import { draftProblems, draftUrl, hasBody, isJsonBody, routeKey, toRequest } from "./editor-model.ts";
import type { Draft } from "./editor-model.ts";
import { Icon } from "./icons.tsx";
import { store } from "./instance.ts";
import { JsonEditor } from "./json-editor.tsx";
import { CopyButton, Empty, Method } from "./widgets.tsx";

/** The editor of the selected route. */
export function Editor(): JSX.Element {
  const route = store.route.value;
  const draft = store.draft.value;
  if (route === null || draft === null) {
    return (
      <section class="editor" aria-label="Request">
        <Empty title="Pick a route">
          What it can reach lights up above. Send then shows the path that one real run took.
        </Empty>
      </section>
    );
  }
  const problems = draftProblems(route, draft);
  return (
    <section class="editor" aria-label="Request">
      <h2 class="sr">Request</h2>
      <div class="url-bar" data-method={route.method}>
        <Method name={route.method} />
        <code title={draftUrl(route, draft)}>{draftUrl(route, draft)}</code>
        <button
          type="button"
          class="send"
          disabled={problems.length > 0 || store.sending.value}
          onClick={() => void store.send()}
        >
          Send
        </button>
      </div>
      <form
        class="form"
        key={routeKey(route)}
        onSubmit={(event) => {
          event.preventDefault();
          void store.send();
        }}
      >
        {problems.length > 0 && <p class="notice">{problems[0]}</p>}
        <PathParams route={route} draft={draft} />
        <h3 id="query-title">Query</h3>
        <input
          aria-label="Query"
          placeholder="page=1&size=20"
          value={draft.query}
          onInput={(event) => store.setDraft({ query: event.currentTarget.value })}
        />
        {hasBody(route.method) && (
          <>
            <h3>
              Body <small>{isJsonBody(route, draft) ? "JSON" : "text"}</small>
            </h3>
            <JsonEditor
              value={draft.body}
              json={isJsonBody(route, draft)}
              onChange={(body) => store.setDraft({ body })}
            />
          </>
        )}
        <Headers draft={draft} />
        <div class="form-end">
          <CopyButton label="Copy cURL" text={() => toCurl(location.origin, toRequest(route, draft))} />
          <CopyButton label="Copy fetch" text={() => toFetch(location.origin, toRequest(route, draft))} />
          <button type="button" class="quiet" onClick={() => store.resetDraft()}>
            Reset to example
          </button>
          <button type="submit" class="hidden" tabIndex={-1} aria-hidden="true" />
        </div>
      </form>
    </section>
  );
}

function PathParams({ route, draft }: { readonly route: RouteInfo; readonly draft: Draft }): JSX.Element | null {
  if (route.pathParams.length === 0) return null;
  return (
    <>
      <h3>Path parameters</h3>
      {route.pathParams.map((name) => (
        <label key={name} class="field">
          <span>{name}</span>
          <input
            value={draft.params[name] ?? ""}
            aria-invalid={(draft.params[name] ?? "") === ""}
            autocomplete="off"
            onInput={(event) => store.setDraft({ params: { ...draft.params, [name]: event.currentTarget.value } })}
          />
        </label>
      ))}
    </>
  );
}

function Headers({ draft }: { readonly draft: Draft }): JSX.Element {
  const set = (headers: Draft["headers"]): void => store.setDraft({ headers });
  const change = (at: number, pair: readonly [string, string]): void =>
    set(draft.headers.map((old, i) => (i === at ? pair : old)));
  return (
    <>
      <h3>
        Headers
        <button type="button" class="quiet" onClick={() => set([...draft.headers, ["", ""]])}>
          Add header
        </button>
      </h3>
      {draft.headers.map(([name, value], i) => (
        <div class="header-row" key={i}>
          <input
            aria-label={`Header ${i + 1} name`}
            placeholder="Name"
            value={name}
            onInput={(event) => change(i, [event.currentTarget.value, value])}
          />
          <input
            aria-label={`Header ${i + 1} value`}
            placeholder="Value"
            value={value}
            onInput={(event) => change(i, [name, event.currentTarget.value])}
          />
          <button
            type="button"
            class="icon-button"
            aria-label={`Remove header ${i + 1}`}
            onClick={() => set(draft.headers.filter((_, other) => other !== i))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <p class="hint">
        <code>X-Framework-Dev</code> is added, so that the run is recognised.
      </p>
    </>
  );
}

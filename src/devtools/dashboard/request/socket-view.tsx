/**
 * The WebSocket console: a message to send below the request, and the log of the connection in the Response tab.
 */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { RouteInfo, Trace } from "../../run/shapes.ts";
import { count, size } from "../../run/format.ts";
import { exactJson } from "../forms/schema.ts";
import { JsonEditor } from "../json/editor.tsx";
import { Choice, Empty, Method } from "../page/widgets.tsx";
import { application, selection } from "../store/page-store.ts";
import { annotationOf } from "./annotations.ts";
import { BodyForm, wantsForm } from "./declared-fields.tsx";
import { headerIn } from "./body.ts";
import { withHeader } from "./declared.ts";
import type { Draft } from "./draft-text.ts";
import { ItemList } from "./item-list.tsx";
import { misfit } from "./item-log.ts";
import { drafts, socket } from "./page-request.ts";
import { endText, PROTOCOLS } from "./socket.ts";
import { socketRuns } from "./socket-runs.ts";

/** The message to send, as a form if its schema is known. */
export function MessagePart({ route, draft }: { readonly route: RouteInfo; readonly draft: Draft }): JSX.Element {
  const { incoming } = route.contract?.messages ?? {};
  const root = incoming?.schema ?? null;
  const value = useMemo(() => exactJson(draft.body), [draft.body]);
  const isForm = root !== null && value !== undefined && wantsForm.value;
  return (
    <>
      <h3>Handshake</h3>
      <div class="field">
        <label for="subprotocols">Subprotocols</label>
        <input
          id="subprotocols"
          placeholder="chat.v2, chat.v1"
          value={headerIn(draft.headers, PROTOCOLS) ?? ""}
          onInput={(event) => drafts.setDraft(withHeader(draft, PROTOCOLS, event.currentTarget.value))}
        />
        <small class="about">A browser sends its own cookies. A page cannot set other headers of a WebSocket.</small>
      </div>
      <h3>
        Message
        {root && (
          <Choice
            label="Edit the message as"
            names={["Form", "JSON"]}
            value={wantsForm.value ? "Form" : "JSON"}
            onChange={(name) => (wantsForm.value = name === "Form")}
          />
        )}
      </h3>
      {isForm ? (
        <BodyForm label="Message" root={root} value={value} />
      ) : (
        <JsonEditor
          label="Message"
          value={draft.body}
          json={incoming !== undefined}
          onChange={(body) => drafts.setDraft({ body })}
        />
      )}
      <button
        type="button"
        class="send"
        disabled={socket.log.value?.state !== "open"}
        title="Ctrl or ⌘ + Enter, once it is connected"
        onClick={() => socket.say(draft.body)}
      >
        Send message
      </button>
    </>
  );
}

/** Connects, or closes the connection. */
export function ConnectButton({ onConnect }: { readonly onConnect: () => void }): JSX.Element {
  const { state = "closed" } = socket.log.value ?? {};
  return state === "closed" ? (
    <button type="button" class="send" title="Ctrl or ⌘ + Enter" onClick={onConnect}>
      Connect
    </button>
  ) : (
    <button type="button" class="stop" onClick={() => socket.close()}>
      Close
    </button>
  );
}

/** The connection of the selected route: its state, its messages, its end. */
export function Console({ route }: { readonly route: RouteInfo }): JSX.Element {
  const log = socket.log.value;
  if (!log) return <Empty title="Not connected">Connect opens a WebSocket. Its messages are listed here.</Empty>;
  const run = socket.run.value;
  const { outgoing } = route.contract?.messages ?? {};
  return (
    <>
      <div class="summary" role="status">
        <Method name="WS" />
        <b>{log.state}</b>
        <span>{count(log.count, "message")}</span>
        <span class="grow" />
        {run && (
          <button type="button" class="quiet" onClick={() => selection.selectTrace(run)}>
            Its run
          </button>
        )}
      </div>
      {log.end && (
        <p class={log.end.code > 1001 && log.end.code !== 1005 ? "notice error" : "notice calm"}>{endText(log)}</p>
      )}
      <ItemList
        key={log.startedAt}
        log={log}
        label="Messages"
        one="message"
        faultOf={(item) => (item.name === "received" ? misfit(outgoing, item) : undefined)}
      />
    </>
  );
}

/** The recorded messages of a connection: a run each. Nothing for the run of another request. */
export function SocketRuns({ trace }: { readonly trace: Trace }): JSX.Element | null {
  const annotation = annotationOf(trace.annotations, "webSocket");
  if (!annotation) return null;
  const { incoming } = selection.route.value?.contract?.messages ?? {};
  const { log, missing, sentBytes } = socketRuns(trace, application.traces.value, annotation.value);
  return (
    <>
      <ItemList
        log={log}
        label="Messages"
        one="message"
        faultOf={(item) => (item.name === "message" ? misfit(incoming, item) : undefined)}
      />
      <p class="hint origin">
        Each is a run. Messages to the client are not recorded, only their {size(sentBytes)}.
        {missing > 0 && ` ${count(missing, "other message")} came, and is no longer kept.`}
      </p>
    </>
  );
}

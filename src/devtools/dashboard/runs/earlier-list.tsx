/**
 * Below the runs of the page: the hits of a search in all kept runs, and the runs of earlier sessions.
 */

import type { JSX } from "preact";
import type { Session } from "../../run/shapes.ts";
import { count, duration, traceKey } from "../../run/format.ts";
import { Path } from "../page/list-parts.tsx";
import { Failure, Method, Status } from "../page/widgets.tsx";
import { selection } from "../store/page-store.ts";
import { day, sessionName } from "./earlier.ts";
import { earlier } from "./page-runs.ts";

/** Both, and the error of the last request. */
export function EarlierRuns(): JSX.Element {
  const { sessions, listed, failure, toggleSessions, close } = earlier;
  const shown = listed.value;
  return (
    <div class="earlier">
      {shown?.of === "search" && (
        <section aria-label="Found in everything that is kept">
          <div class="earlier-head">
            <b>
              {count(shown.rows.length, "hit")}
              {shown.next !== null && " and more"}
            </b>
            <small class="muted">{shown.said}</small>
            <button type="button" class="quiet" aria-label="Close hits" onClick={close}>
              Close
            </button>
          </div>
          <Rows />
        </section>
      )}
      <button type="button" class="quiet" aria-expanded={sessions.value !== null} onClick={() => void toggleSessions()}>
        Earlier sessions
      </button>
      <Failure reason={failure.value} />
      {sessions.value && <Sessions sessions={sessions.value.filter(({ current }) => !current)} />}
    </div>
  );
}

function Sessions({ sessions }: { readonly sessions: readonly Session[] }): JSX.Element {
  const { listed, toggleSession } = earlier;
  if (sessions.length === 0)
    return (
      <p class="hint">
        None are kept. <code>Devtools.create({"{ history: true }"})</code> keeps runs on disk.
      </p>
    );
  return (
    <>
      {sessions.map((session) => (
        <section key={session.instance} aria-label={`Session ${sessionName(session)}`}>
          <button
            type="button"
            class="link session"
            title={`Instance ${session.instance}, commit ${session.commit ?? "not known"}${
              session.skipped > 0 ? `, ${count(session.skipped, "run")} too many at once to be kept` : ""
            }`}
            aria-expanded={listed.value?.of === session.instance}
            onClick={() => void toggleSession(session.instance)}
          >
            {sessionName(session)} · {count(session.runs, "run")}
          </button>
          {listed.value?.of === session.instance && <Rows />}
        </section>
      ))}
    </>
  );
}

function Rows(): JSX.Element {
  const { listed, open, more } = earlier;
  const { traceId } = selection;
  const { rows = [], next = null } = listed.value ?? {};
  return (
    <>
      <ul class="earlier-rows">
        {rows.map((run) => {
          const key = traceKey(run);
          return (
            <li key={key}>
              <button
                type="button"
                data-run-key={key}
                aria-current={traceId.value === key ? "true" : undefined}
                title={`${day(run.startedAt)}, ${duration(run.durationUs)}`}
                onClick={() => void open(key)}
              >
                <Method name={run.method} />
                <Path text={run.path} />
                <Status code={run.status} />
              </button>
            </li>
          );
        })}
      </ul>
      {next !== null && (
        <button type="button" class="quiet" onClick={() => void more()}>
          Show more
        </button>
      )}
    </>
  );
}

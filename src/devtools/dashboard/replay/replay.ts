/**
 * Replay: the choice of the selected run's beans that return recorded results, and the request for it.
 *
 *   open ──▶ …/api/replays/{run} ──▶ the user chooses beans ──▶ run ──▶ A is the run, B its replay, compared
 *                                                                └─ rejected: the reason, nothing has run
 */

import { batch, signal } from "@preact/signals";
import type { ReplayPlan, ReplayProblem, Trace } from "../../run/shapes.ts";
import { REPLAY_HEADER } from "../../run/wire.ts";
import { messageOf, traceKey } from "../../run/format.ts";
import { draftProblems, exampleDraft, toRequest } from "../request/draft.ts";
import { senderSlice } from "../request/receive.ts";
import { awaitTrace } from "../request/send.ts";
import { sharedHeadersSlice } from "../request/shared-headers.ts";
import { sourceSlice } from "../runs/source.ts";
import { applicationSlice } from "../store/application.ts";
import { browserSlice } from "../store/browser.ts";
import { isRunOf } from "../store/entries.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";

/** The plan of the dialog's run, the choice, and the outcome. */
export function replaySlice(use: Use) {
  const { dialog, detail } = use(panelsSlice);
  const { trace, marks, selectTrace } = use(selectionSlice);
  const plan = signal<ReplayPlan | null>(null);
  const chosen = signal<ReadonlySet<string>>(new Set());
  const failure = signal<string | null>(null);
  const running = signal<AbortController | null>(null);
  /** Runs for the selected run; an error that it throws becomes the failure. */
  const attempt = async (run: (of: Trace) => Promise<void>): Promise<void> => {
    failure.value = null;
    try {
      if (trace.value) await run(trace.value);
    } catch (error) {
      failure.value = messageOf(error);
    }
  };
  const beans = (): string => [...chosen.value].map(encodeURIComponent).join();
  return {
    plan,
    chosen,
    failure,
    /** The chosen beans, as the header and the endpoint take them. */
    beans,
    open: (): Promise<void> =>
      attempt(async (of) => {
        dialog.value = "replay";
        plan.value = null;
        const found = await use(sourceSlice).read(`replays/${traceKey(of)}`);
        batch(() => {
          plan.value = found;
          failure.value = found.refusal;
          chosen.value = new Set(found.beans.filter(({ isDefault }) => isDefault).map(({ bean }) => bean));
        });
      }),
    /** Stops the running replay. Null without one. */
    running,
    run: (): Promise<void> =>
      attempt(async (of) => {
        const shown = plan.value?.ticket ?? null;
        const ticket = shown === null ? "" : `;ticket=${shown}`;
        const stop = (running.value = new AbortController());
        const again = await send(use, of, `${traceKey(of)};beans=${beans()}${ticket}`, stop.signal).finally(
          () => (running.value = null),
        );
        batch(() => {
          selectTrace(again);
          marks.value = { a: traceKey(of), b: traceKey(again) };
          detail.value = "compare";
          dialog.value = null;
        });
      }),
  };
}

/** The trace of the replay; of a stopped one, its part so far. @throws Error that says why there is none */
async function send(use: Use, of: Trace, header: string, signal: AbortSignal): Promise<Trace> {
  const { routes, mount } = use(applicationSlice);
  const route = routes.value.find((one) => isRunOf(of, one));
  if (!route) throw new Error("The application has no such route any more.");
  const draft = exampleDraft(route, of);
  const [problem] = [...draftProblems(route, draft), ...(draft.leftOut ?? [])];
  if (problem !== undefined) throw new Error(problem);
  const request = use(sharedHeadersSlice).with(toRequest({ ...route, method: of.method }, draft));
  const [, search = ""] = request.url.split("?");
  const url = `${mount.value}${of.path}${search && `?${search}`}`;
  const headers = [...request.headers, [REPLAY_HEADER, header] as const];
  const id = use(browserSlice).newId();
  const options = { signal, progress: () => undefined };
  const { status, bytes } = await use(senderSlice)({ ...request, url, headers }, id, options);
  const again = await awaitTrace(use, id);
  if (again) return again;
  const text = new TextDecoder().decode(bytes);
  const isProblem = status === 400 || status === 409;
  throw new Error(isProblem ? (JSON.parse(text) as ReplayProblem).detail : text || `It responded with ${status}.`);
}

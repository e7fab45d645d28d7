/**
 * Replay: the choice of the selected run's beans that return recorded results, another outcome for one of its calls, and the
 * request for it.
 *
 *   open ──▶ …/api/replays/{run} ──▶ the user chooses beans ──▶ run ──▶ A is the run, B its replay, compared
 *   open(call) ──▶ and types an outcome ──────────────────────────┘  └─ rejected: the reason, nothing has run
 */

import { batch, computed, signal, type Signal } from "@preact/signals";
import type { Call, ReplayPlan, ReplayProblem, Trace, WhatIf } from "../../run/shapes.ts";
import { CORRELATION_HEADER, REPLAY_HEADER } from "../../run/wire.ts";
import { messageOf, traceKey } from "../../run/format.ts";
import { replayHeader, type ReplayHeader } from "../../run/what-if.ts";
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
import { outcomeOf, typedOutcome, type TypedOutcome } from "./outcome.ts";

/** The plan of the dialog's run, the choice, and the outcome. */
export function replaySlice(use: Use) {
  const { dialog, detail } = use(panelsSlice);
  const { trace, marks, selectTrace } = use(selectionSlice);
  const plan = signal<ReplayPlan | null>(null);
  const chosen = signal<ReadonlySet<string>>(new Set());
  const failure = signal<string | null>(null);
  const running = signal<AbortController | null>(null);
  const changed = changedCall();
  const isProfiled = signal(false);
  const attempt = (run: (of: Trace) => Promise<void>): Promise<void> => attempted(trace.value, run, failure);
  const beans = (): string => [...chosen.value].map(encodeURIComponent).join();
  return {
    plan,
    chosen,
    failure,
    /** The chosen beans, as the header and the endpoint take them. */
    beans,
    ...changed,
    /** Whether V8's sampler runs for it. */
    isProfiled,
    /** @param call the call that gets another outcome, null for a replay without one */
    open: (call: Call | null = null): Promise<void> =>
      attempt(async (of) => {
        dialog.value = "replay";
        plan.value = null;
        changed.call.value = call;
        changed.outcome.value = call && typedOutcome(call);
        const found = await use(sourceSlice).read(`replays/${traceKey(of)}`);
        batch(() => {
          plan.value = found;
          failure.value = found.refusal;
          // Another outcome leads to calls that were not recorded, so all beans run unless the user chooses some.
          const defaults = call === null ? found.beans.filter(({ isDefault }) => isDefault) : [];
          chosen.value = new Set(defaults.map(({ bean }) => bean));
        });
      }),
    /** Stops the running replay. Null without one. */
    running,
    run: (): Promise<void> =>
      attempt(async (of) => {
        const { ticket = null } = plan.value ?? {};
        const asked = { key: traceKey(of), beans: [...chosen.value], isProfiled: isProfiled.value, ticket };
        const header = headerOf(asked, changed.whatIf.value);
        const stop = (running.value = new AbortController());
        const again = await send(use, of, header, stop.signal).finally(() => (running.value = null));
        batch(() => {
          selectTrace(again);
          marks.value = { a: traceKey(of), b: traceKey(again) };
          detail.value = isProfiled.value ? "why" : "compare";
          dialog.value = null;
        });
      }),
  };
}

/** Runs for the selected run; an error that it throws becomes the failure. */
async function attempted(
  trace: Trace | null,
  run: (of: Trace) => Promise<void>,
  failure: Signal<string | null>,
): Promise<void> {
  failure.value = null;
  try {
    if (trace) await run(trace);
  } catch (error) {
    failure.value = messageOf(error);
  }
}

/** @throws Error that says what is missing in the typed outcome */
function headerOf(run: Omit<ReplayHeader, "whatIf">, given: WhatIf | string | undefined): string {
  if (typeof given === "string") throw new Error(given);
  return replayHeader({ ...run, whatIf: given === undefined ? [] : [given] });
}

/** The call that gets another outcome, and what is typed for it. */
function changedCall() {
  const call = signal<Call | null>(null);
  const outcome = signal<TypedOutcome | null>(null);
  /** The typed outcome, undefined without one, or what is missing in it. */
  const whatIf = computed((): WhatIf | string | undefined =>
    call.value && outcome.value ? outcomeOf(call.value.id, outcome.value) : undefined,
  );
  return { call, outcome, whatIf };
}

/** The trace of the replay; of a stopped one, its part so far. @throws Error that says why there is none */
async function send(use: Use, of: Trace, header: string, signal: AbortSignal): Promise<Trace> {
  if (of.job) return sendJob(use, of, header);
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

/** The trace of an attempt's replay, which the application runs by itself. @throws Error that says why there is none */
async function sendJob(use: Use, of: Trace, header: string): Promise<Trace> {
  const id = use(browserSlice).newId();
  const headers = { [REPLAY_HEADER]: header, [CORRELATION_HEADER]: id };
  await use(sourceSlice).post(`replays/${traceKey(of)}`, headers);
  const again = await awaitTrace(use, id);
  if (again) return again;
  throw new Error("Its run has not come.");
}

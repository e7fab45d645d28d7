/**
 * The button that opens a replay, its dialog, and its outcome above *Compare*.
 */

import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { comparison } from "../compare/page-comparison.ts";
import { count } from "../../run/format.ts";
import type { Call } from "../../run/shapes.ts";
import { JsonEditor } from "../json/editor.tsx";
import { IconButton, Select } from "../page/widgets.tsx";
import { selection } from "../store/page-store.ts";
import { basePath } from "../runs/source.ts";
import type { TypedOutcome } from "./outcome.ts";
import { replay } from "./page-replay.ts";

/** Shown next to the other actions of a run; nothing without one. */
export function ReplayAction(): JSX.Element | null {
  return (
    selection.trace.value && (
      <IconButton
        icon="replay"
        label="Replay run"
        isQuiet
        title="Send it again with what the run recorded, profile it, or save it as a test"
        onClick={() => void replay.open()}
      />
    )
  );
}

/** The choice of beans that return recorded results. */
export function ReplayDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const plan = replay.plan.value;
  const chosen = replay.chosen.value;
  const running = replay.running.value;
  // An event stream never ends without this.
  useLayoutEffect(() => () => replay.running.value?.abort(), []);
  const refused = plan?.beans.find(({ bean, refusal }) => refusal !== null && chosen.has(bean));
  const why = [...(plan?.notes ?? []), replay.failure.value, refused?.refusal, plan?.testRefusal].filter(Boolean);
  const { call } = replay;
  const whatIf = replay.whatIf.value;
  const { isProfiled } = replay;
  const isEmpty = !selection.trace.value?.job && chosen.size === 0 && whatIf === undefined && !isProfiled.value;
  const cannot = isEmpty || typeof whatIf === "string" || refused !== undefined || plan?.refusal !== null;
  return (
    <>
      <div class="dialog-head">
        <h2>
          {call.value === null ? "Replay run" : `What if ${selection.beanName(call.value.bean)}.${call.value.method}`}
        </h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {call.value !== null && <WhatIfFields />}
      <p class="hint">Checked beans return what was recorded. All other code runs.</p>
      {plan?.beans.map(({ bean, calls, refusal }) => (
        <label key={bean} title={refusal ?? ""}>
          <input
            type="checkbox"
            checked={chosen.has(bean)}
            onChange={() =>
              (replay.chosen.value = new Set([...chosen, bean].filter((b) => b !== bean || !chosen.has(b))))
            }
          />{" "}
          {bean} <span class="muted">{refusal === null ? count(calls, "call") : "cannot"}</span>
          <br />
        </label>
      ))}
      <label title="V8's sampler runs for this request">
        <input
          type="checkbox"
          checked={isProfiled.value}
          onChange={() => (isProfiled.value = !isProfiled.value)}
        />{" "}
        Profile: find the lines of code that take its time
      </label>
      {typeof whatIf === "string" && replay.outcome.value?.kind !== "returns" && (
        <p class="hint" role="status">
          {whatIf}
        </p>
      )}
      {why.map((text) => (
        <p key={text} class="hint" role="alert">
          {text}
        </p>
      ))}
      {running ? (
        <button type="button" onClick={() => running.abort()}>
          Stop
        </button>
      ) : (
        <button type="button" disabled={cannot} onClick={() => void replay.run()}>
          {call.value === null ? "Replay" : "Send again"}
        </button>
      )}{" "}
      {call.value === null && !cannot && plan?.testRefusal === null && (
        <a href={`${basePath()}/api/replays/${plan.instance}.${plan.sequence}/test?beans=${replay.beans()}`} download>
          Save as test
        </a>
      )}
    </>
  );
}

const KINDS = [
  ["returns", "returns"],
  ["throws", "throws"],
  ["same", "does the same"],
] as const;

/** What the call returns, throws or takes. */
function WhatIfFields(): JSX.Element | null {
  const typed = replay.outcome.value;
  if (typed === null) return null;
  const type = (more: Partial<TypedOutcome>): void => void (replay.outcome.value = { ...typed, ...more });
  return (
    <div class="what-if">
      <Select
        label="It"
        value={typed.kind}
        options={KINDS}
        onChange={(chosen) => type({ kind: KINDS.find(([kind]) => kind === chosen)?.[0] ?? typed.kind })}
      />
      {typed.kind === "returns" && (
        <JsonEditor label="Value" value={typed.value} json onChange={(value) => type({ value })} />
      )}
      {typed.kind === "throws" && (
        <>
          <input
            aria-label="Error or status"
            placeholder="RangeError, or 404"
            value={typed.name}
            onInput={(event) => type({ name: event.currentTarget.value })}
          />
          <input
            aria-label="Message"
            placeholder="message"
            value={typed.message}
            onInput={(event) => type({ message: event.currentTarget.value })}
          />
        </>
      )}
      <label>
        after{" "}
        <input
          class="num"
          inputMode="decimal"
          size={6}
          value={typed.after}
          onInput={(event) => type({ after: event.currentTarget.value })}
        />{" "}
        ms
      </label>
    </div>
  );
}

/** The button at a call. */
export function WhatIfAction({ call }: { readonly call: Call }): JSX.Element {
  return (
    <button
      type="button"
      class="quiet"
      title="Send the request again, and this call returns, throws or takes what you say"
      onClick={() => void replay.open(call)}
    >
      What if
    </button>
  );
}

/** The difference of a replay. */
export function ReplayOutcome(): JSX.Element | null {
  const text = comparison.differences.value?.first ?? null;
  return text === null ? null : (
    <p class="outcome" role="status">
      {text}
    </p>
  );
}

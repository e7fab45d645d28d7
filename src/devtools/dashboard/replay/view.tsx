/**
 * The button that opens a replay, its dialog, and its outcome above *Compare*.
 */

import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { comparison } from "../compare/page-comparison.ts";
import { count } from "../../run/format.ts";
import { IconButton } from "../page/widgets.tsx";
import { selection } from "../store/page-store.ts";
import { useSlice } from "../store/slice.ts";
import { basePath } from "../runs/source.ts";
import { firstDifference } from "./first-difference.ts";
import { replaySlice } from "./replay.ts";

const replay = useSlice(replaySlice);

/** Shown next to the other actions of a run; nothing without one. */
export function ReplayAction(): JSX.Element | null {
  return (
    selection.trace.value && (
      <IconButton
        icon="replay"
        label="Replay run"
        isQuiet
        title="Send it again with what the run recorded, or save it as a test"
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
  const cannot = chosen.size === 0 || refused !== undefined || plan?.refusal !== null;
  return (
    <>
      <div class="dialog-head">
        <h2>Replay run</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
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
          Replay
        </button>
      )}{" "}
      {!cannot && plan?.testRefusal === null && (
        <a href={`${basePath()}/api/replays/${plan.instance}.${plan.sequence}/test?beans=${replay.beans()}`} download>
          Save as test
        </a>
      )}
    </>
  );
}

/** The difference of a replay. */
export function ReplayOutcome(): JSX.Element | null {
  const found = comparison.comparison.value;
  const text = found && firstDifference(found);
  return text === null ? null : (
    <p class="outcome" role="status">
      {text}
    </p>
  );
}

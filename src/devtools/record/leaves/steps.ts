/** Steps as leaves: what `step` of this package publishes. */
import { failureOf, onTracing, type Source } from "./channels.ts";
import { STEP_CHANNEL, type StepMessage } from "./step.ts";

/** What `step` publishes. */
export const steps: Source = (hub, leaves) =>
  onTracing(hub, STEP_CHANNEL, {
    begin(message) {
      const { kind, name } = message as StepMessage;
      return leaves.begin("step", kind, () => ({ name }));
    },
    end: (open, message) => leaves.end(open, (message as StepMessage).described, failureOf(message)),
  });

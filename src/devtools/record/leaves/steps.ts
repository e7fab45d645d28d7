/** Steps as leaves, from the messages of this package's `step`. */
import { failureOf, onTracing, type Source } from "./channels.ts";
import { STEP_CHANNEL, type StepMessage } from "./step.ts";

/** The channel of `step`. */
export const steps: Source = (hub, leaves) =>
  onTracing(hub, STEP_CHANNEL, {
    begin(message) {
      const { kind, name } = message as StepMessage;
      return leaves.begin("step", kind, () => ({ name }));
    },
    end: (open, message) => leaves.end(open, (message as StepMessage).described, failureOf(message)),
  });

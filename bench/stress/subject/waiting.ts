/**
 * Waiting for the subject to come to rest: on conditions, never for a time.
 */
import type { SubjectProcess } from "./child.ts";
import type { SubjectState } from "./state.ts";

/** The state once it is as it should be; as it is after ten seconds otherwise. */
export async function stateWhen(
  subject: SubjectProcess,
  isThere: (state: SubjectState) => boolean,
): Promise<SubjectState> {
  let state = await subject.state();
  for (let i = 0; i < 100 && !isThere(state); i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    state = await subject.state();
  }
  return state;
}

/**
 * Wire, replay: a kept request once more, with what the recording holds in place of some beans.
 *
 *   …/api/replays/{instance}.{sequence} ───────▶ ReplayPlan: which beans, and what stands against it
 *   …/api/replays/{instance}.{sequence}/test ──▶ the run as a test, a TypeScript file
 *   any request ── X-Framework-Replay: <instance>.<sequence>;beans=A,B ──▶ its response, or 409 and a ReplayProblem
 *
 * As in wire.ts: types and constants only, the same for both sides.
 *
 * Spec: spec/replay.md
 */

/** The request header that asks for a replay: `<instance>.<sequence>;beans=<bean>,<bean>`, beans percent-encoded. */
export const REPLAY_HEADER = "X-Framework-Replay";
/** ReplayPlan of `{instance}.{sequence}` behind it, inside the context path; with `/test` behind that, `?beans=`, a test. */
export const REPLAYS_PATH = "/framework/dev/api/replays/";

/** One bean that a run has called. */
export interface ReplayBean {
  /** The graph node's id. */
  readonly bean: string;
  readonly calls: number;
  /** Is it one of those that return what was recorded where nobody chooses: a repository, or a bean that called none? */
  readonly isDefault: boolean;
  /** Why it cannot return what was recorded; null where it can. */
  readonly refusal: string | null;
}

/** What can be replayed of a run. */
export interface ReplayPlan {
  readonly instance: string;
  readonly sequence: number;
  readonly beans: readonly ReplayBean[];
  /** What may differ since: a former process, another commit, calls that were not kept. */
  readonly notes: readonly string[];
  /** Why it cannot be replayed at all; null where it can. */
  readonly refusal: string | null;
  /** Why it cannot be saved as a test, beans apart; null where it can. */
  readonly testRefusal: string | null;
  /** Where devtools ask for a token: what the header has behind its beans, `;ticket=…`, in place of the token. */
  readonly ticket: string | null;
}

/** Why a replay has ended. */
export interface ReplayEnd {
  /** The bean that was called; null where none was. */
  readonly bean: string | null;
  readonly method: string | null;
  readonly reason: string;
}

/** Of which run a run is the replay. */
export interface ReplayOf {
  readonly instance: string;
  readonly sequence: number;
  /** Ids of the beans that returned what was recorded. */
  readonly beans: readonly string[];
  readonly notes: readonly string[];
  /** Why it could not go on; null where it went through. */
  readonly ended: ReplayEnd | null;
}

/** The problem (RFC 9457) that a replay is rejected with, before it began or on its way. */
export interface ReplayProblem {
  readonly type: "about:blank";
  readonly title: string;
  readonly status: 400 | 409;
  readonly detail: string;
  readonly replay: { readonly bean: string | null; readonly method: string | null };
}

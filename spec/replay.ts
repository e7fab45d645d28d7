/**
 * Replay: what can be replayed of a run, of which run a run is the replay, and the problem of one that ended.
 *
 * Spec: spec/replay.md
 */
import { Type } from "typebox";
import { instance } from "./forms.ts";

const text = Type.String({ minLength: 1 });
const TextOrNull = Type.Union([text, Type.Null()]);
const Sequence = Type.Integer({ minimum: 1 });

/** One bean that a run has called. */
export const ReplayBean = Type.Object({
  /** The graph node's id. */
  bean: text,
  calls: Type.Integer({ minimum: 1 }),
  /** Is it one of those that return what was recorded where nobody chooses: a repository, or a bean that called none? */
  isDefault: Type.Boolean(),
  /** Why it cannot return what was recorded; null where it can. */
  refusal: TextOrNull,
});

/** The response of `…/api/replays/{instance}.{sequence}`. */
export const ReplayPlan = Type.Object(
  {
    instance: Type.String({ pattern: instance }),
    sequence: Sequence,
    beans: Type.Array(ReplayBean),
    /** What may differ since: a former process, another commit, calls that were not kept. */
    notes: Type.Array(text),
    /** Why it cannot be replayed at all; null where it can. */
    refusal: TextOrNull,
    /** Why it cannot be saved as a test, beans apart; null where it can. */
    testRefusal: TextOrNull,
    /** Where devtools ask for a token: what the header has behind its beans, `;ticket=…`, in place of the token. */
    ticket: TextOrNull,
  },
  { $id: "ReplayPlan" },
);

/** Why a replay has ended. */
export const ReplayEnd = Type.Object({
  /** The bean that was called; null where none was. */
  bean: TextOrNull,
  method: TextOrNull,
  reason: text,
});

/** Of which run a run is the replay. */
export const ReplayOf = Type.Object({
  instance: Type.String({ pattern: instance }),
  sequence: Sequence,
  /** Ids of the beans that returned what was recorded. */
  beans: Type.Array(text, { minItems: 1 }),
  notes: Type.Array(text),
  /** Why it could not go on; null where it went through. */
  ended: Type.Union([ReplayEnd, Type.Null()]),
});

/** The problem (RFC 9457) that a replay is rejected with, before it began or on its way. */
export const ReplayProblem = Type.Object(
  {
    type: Type.Literal("about:blank"),
    title: text,
    status: Type.Union([Type.Literal(400), Type.Literal(409)]),
    detail: text,
    replay: Type.Object({ bean: TextOrNull, method: TextOrNull }),
  },
  { $id: "ReplayProblem" },
);

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
  bean: text,
  calls: Type.Integer({ minimum: 1 }),
  isDefault: Type.Boolean(),
  refusal: TextOrNull,
});

/** The response of `…/api/replays/{instance}.{sequence}`. */
export const ReplayPlan = Type.Object(
  {
    instance: Type.String({ pattern: instance }),
    sequence: Sequence,
    beans: Type.Array(ReplayBean),
    notes: Type.Array(text),
    refusal: TextOrNull,
    testRefusal: TextOrNull,
    ticket: TextOrNull,
  },
  { $id: "ReplayPlan" },
);

/** Why a replay has ended. */
export const ReplayEnd = Type.Object({ bean: TextOrNull, method: TextOrNull, reason: text });

/** Of which run a run is the replay. */
export const ReplayOf = Type.Object({
  instance: Type.String({ pattern: instance }),
  sequence: Sequence,
  beans: Type.Array(text, { minItems: 1 }),
  notes: Type.Array(text),
  ended: Type.Union([ReplayEnd, Type.Null()]),
});

/** The problem that a replay is rejected with. */
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

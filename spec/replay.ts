/**
 * Replay: what of a run can be replayed, which run a run replays, and the problem of a rejected replay.
 *
 * Spec: spec/replay.md
 */
import { Type } from "typebox";
import { instance } from "./forms.ts";
import { Json } from "./values.ts";

const text = Type.String({ minLength: 1 });
const TextOrNull = Type.Union([text, Type.Null()]);
const Sequence = Type.Integer({ minimum: 1 });

/** One bean that a run called. */
export const ReplayBean = Type.Object({
  /** The graph node's id. */
  bean: text,
  calls: Type.Integer({ minimum: 1 }),
  /** Does it return recorded results by default? A repository does, and a bean that called no other. */
  isDefault: Type.Boolean(),
  /** Why it cannot return recorded results, or null if it can. */
  refusal: TextOrNull,
});

/** The response of `…/api/replays/{instance}.{sequence}`. */
export const ReplayPlan = Type.Object(
  {
    instance: Type.String({ pattern: instance }),
    sequence: Sequence,
    beans: Type.Array(ReplayBean),
    /** What may differ since then: an earlier process, another commit, calls that were not kept. */
    notes: Type.Array(text),
    /** Why the run cannot be replayed at all, or null if it can. */
    refusal: TextOrNull,
    /** Why it cannot be saved as a test, apart from its beans, or null if it can. */
    testRefusal: TextOrNull,
    /** If devtools require a token: the ticket that ends the header (`;ticket=…`) and replaces the token. Else null. */
    ticket: TextOrNull,
  },
  { $id: "ReplayPlan" },
);

/** Another outcome of one call of a run. */
export const WhatIf = Type.Object({
  /** The call's id in the run. */
  call: Type.Integer({ minimum: 0 }),
  /** What it returns, as traces show values. */
  returns: Type.Optional(Json),
  /** What it throws: an error of the language, a class that this process has thrown, or with a status an `HttpError`. */
  throws: Type.Optional(
    Type.Object({
      name: text,
      message: Type.String(),
      status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
    }),
  ),
  /** How long it takes at least, in milliseconds. */
  afterMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 60_000 })),
});

/** Why a replay ended early. */
export const ReplayEnd = Type.Object({
  /** The bean that was called, or null if none was. */
  bean: TextOrNull,
  method: TextOrNull,
  reason: text,
});

/** The run that a run replays. */
export const ReplayOf = Type.Object({
  instance: Type.String({ pattern: instance }),
  sequence: Sequence,
  /** Ids of the beans that returned recorded results. */
  beans: Type.Array(text),
  /** The calls that had another outcome. Absent if there are none. */
  whatIf: Type.Optional(Type.Array(WhatIf, { minItems: 1, maxItems: 20 })),
  notes: Type.Array(text),
  /** Why it could not continue, or null if it completed. */
  ended: Type.Union([ReplayEnd, Type.Null()]),
});

/** The problem (RFC 9457) of a replay that is rejected, before it begins or while it runs. */
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

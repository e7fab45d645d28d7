/**
 * BeanGraph: the beans and what each depends on.
 *
 * Spec: spec/graph.md
 */
import { Type } from "typebox";

/** What a bean is for. */
export const Stereotype = Type.Union([
  Type.Literal("controller"),
  Type.Literal("service"),
  Type.Literal("repository"),
  Type.Literal("component"),
  Type.Literal("bean"),
]);

const Id = Type.String({ minLength: 1 });

/** Why a bean's calls are not recorded. */
export const UntracedReason = Type.Union([
  Type.Literal("class"),
  Type.Literal("function"),
  Type.Literal("proxy"),
  Type.Literal("uninstrumented"),
  Type.Literal("failed"),
]);

/** One bean. */
export const BeanNode = Type.Object({
  id: Id,
  name: Id,
  stereotype: Stereotype,
  implementation: Type.String(),
  traceable: Type.Boolean(),
  reason: Type.Optional(UntracedReason),
  dependencies: Type.Array(Id, { uniqueItems: true }),
});

/** `from` depends on `to`. */
export const BeanEdge = Type.Object({ from: Id, to: Id });

/** The response of `…/api/graph`. */
export const BeanGraph = Type.Object(
  {
    nodes: Type.Array(BeanNode, { uniqueItems: true }),
    edges: Type.Array(BeanEdge, { uniqueItems: true }),
    unspied: Type.Array(Id, { uniqueItems: true }),
  },
  { $id: "BeanGraph" },
);

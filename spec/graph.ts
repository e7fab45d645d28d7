/**
 * BeanGraph: the beans and what each depends on.
 *
 * Spec: spec/graph.md
 */
import { Type } from "typebox";

/** The role of a bean. The graph is coloured by it. */
export const Stereotype = Type.Union([
  Type.Literal("controller"),
  Type.Literal("service"),
  Type.Literal("repository"),
  Type.Literal("component"),
  Type.Literal("bean"),
]);

const Id = Type.String({ minLength: 1 });

/**
 * Why a bean's calls are not recorded. `class`: the class that it is bound by made it, or will make it. `function`, `proxy`:
 * these
 * cannot be wrapped. `uninstrumented`: the container has no recorder. `failed`: the recorder failed on it.
 */
export const UntracedReason = Type.Union([
  Type.Literal("class"),
  Type.Literal("function"),
  Type.Literal("proxy"),
  Type.Literal("uninstrumented"),
  Type.Literal("failed"),
]);

/** One bean of the graph. */
export const BeanNode = Type.Object({
  /** Unique: the name, and `name#2` for a second bean of that name. */
  id: Id,
  name: Id,
  stereotype: Stereotype,
  /** The implementing class. */
  implementation: Type.String(),
  /** Are its calls recorded? */
  traceable: Type.Boolean(),
  /** Why they are not. */
  reason: Type.Optional(UntracedReason),
  /** Ids of the beans it depends on. */
  dependencies: Type.Array(Id, { uniqueItems: true }),
});

/** `from` depends on `to`. */
export const BeanEdge = Type.Object({ from: Id, to: Id });

/** The response of `…/api/graph`. */
export const BeanGraph = Type.Object(
  {
    nodes: Type.Array(BeanNode, { uniqueItems: true }),
    edges: Type.Array(BeanEdge, { uniqueItems: true }),
    /** Ids of the beans that are not traceable. */
    unspied: Type.Array(Id, { uniqueItems: true }),
  },
  { $id: "BeanGraph" },
);

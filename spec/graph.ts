/**
 * BeanGraph: the beans and what each depends on.
 *
 * Spec: spec/graph.md
 */
import { Type } from "typebox";

/** What a bean is for; the graph is coloured by it. */
export const Stereotype = Type.Union([
  Type.Literal("controller"),
  Type.Literal("service"),
  Type.Literal("repository"),
  Type.Literal("component"),
  Type.Literal("bean"),
]);

const Id = Type.String({ minLength: 1 });

/**
 * Why a bean's calls are not recorded: the class it is bound by has made it itself, or is yet to make it; it is a function, or a proxy, which cannot be wrapped; the
 * container has no recorder; the recorder failed on it.
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
  /** The class behind it. */
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

/**
 * Annotations: facts about a request that middleware reports to tools that watch it.
 *
 *   ctx.annotations?.add("rateLimit", { limit, remaining }) ──▶ every observer: app.observe({ annotation })
 *   no listener ──▶ ctx.annotations is undefined, and the expression after `?.` is never evaluated
 *
 * A listener can never change the request.
 *
 * Spec: spec/context.md
 */
import { tellWatchers } from "../internal/watchers.ts";
import type { Annotations, Context } from "./context.ts";

/** Receives each annotation, for tools that watch. Its errors are ignored. */
export type AnnotationListener = (ctx: Context, name: string, value: unknown) => unknown;

/** The annotations of a request, or undefined when no observer listens. */
export function annotationsOf(ctx: Context, listeners: readonly AnnotationListener[]): Annotations | undefined {
  if (listeners.length === 0) return undefined;
  return { add: (name, value) => tellWatchers(listeners, ctx, name, value) };
}

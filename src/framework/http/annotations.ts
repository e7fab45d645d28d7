/**
 * Annotations: what middleware tells of a request, for tools that watch it.
 *
 *   ctx.annotations?.add("rateLimit", { limit, remaining }) ──▶ every observer: app.observe({ annotation })
 *   nobody listens ──▶ ctx.annotations is undefined, and what stands behind the `?.` is never made
 *
 * Whatever a listener does, the request goes on as without it.
 *
 * Spec: spec/context.md
 */
import { tellWatchers } from "../internal/watchers.ts";
import type { Annotations, Context } from "./context.ts";

/** Hears of each annotation, for tools that watch. What it throws is ignored. */
export type AnnotationListener = (ctx: Context, name: string, value: unknown) => unknown;

/** The annotations of a request; undefined where nobody listens. */
export function annotationsOf(ctx: Context, listeners: readonly AnnotationListener[]): Annotations | undefined {
  if (listeners.length === 0) return undefined;
  return { add: (name, value) => tellWatchers(listeners, ctx, name, value) };
}

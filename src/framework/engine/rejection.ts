/**
 * Rejections: the response to a request that never becomes one of the application.
 *
 * Spec: spec/errors.md
 */
import { problemOf } from "../internal/errors.ts";

/** The body of a rejection and its length in bytes. */
export function rejectionOf(status: number): { readonly body: string; readonly bytes: number } {
  const body = JSON.stringify(problemOf(status));
  return { body, bytes: new TextEncoder().encode(body).length };
}

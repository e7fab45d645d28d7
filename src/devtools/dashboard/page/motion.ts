/**
 * Whether things on the page should move.
 */

/** Whether nothing should move, by the user's setting or because the page is hidden. */
export function wantsNoMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches || document.visibilityState === "hidden";
}

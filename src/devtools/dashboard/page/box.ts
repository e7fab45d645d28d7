/**
 * Boxes that scroll.
 */

/** Scrolls a box as little as needed to show the part between these heights. */
export function keepInSight(box: Element | null, top: number, bottom: number): void {
  if (!box) return;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}

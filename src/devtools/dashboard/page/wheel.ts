/**
 * What a turn of the wheel means, in the graph and in the timeline.
 */

/**
 * The factor of a zoom by a mouse wheel, or by any wheel with Ctrl or Meta, which a pinch on a touchpad also has. Undefined for
 * two-finger scrolling, which moves things.
 */
export function wheelZoom(event: Pick<WheelEvent, "ctrlKey" | "metaKey" | "deltaMode" | "deltaY">): number | undefined {
  const zooms = event.ctrlKey || event.metaKey || event.deltaMode !== 0 || Math.abs(event.deltaY) >= 100;
  return zooms ? Math.exp(-event.deltaY * (event.deltaMode === 0 ? 0.0015 : 0.05)) : undefined;
}

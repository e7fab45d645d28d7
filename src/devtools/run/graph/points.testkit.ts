/**
 * Points of an SVG path made of M, H, L, Q and C, every few pixels, to find what a line runs under.
 */

/** The points, absolute commands only. */
export function points(d: string): [number, number][] {
  const found: [number, number][] = [];
  let [x, y] = [0, 0];
  for (const [, command = "", rest] of d.matchAll(/([MHLQC])([^MHLQC]*)/g)) {
    const n = (rest ?? "").trim().split(/[ ,]+/).map(Number);
    const [endX, endY] = command === "H" ? [n[0] ?? 0, y] : [n.at(-2) ?? 0, n.at(-1) ?? 0];
    const handles = { Q: [n[0], n[1], n[0], n[1]], C: n.slice(0, 4) }[command] ?? [x, y, endX, endY];
    const [ax = 0, ay = 0, bx = 0, by = 0] = handles;
    const at = (t: number, p: number, a: number, b: number, q: number): number =>
      command === "Q"
        ? (1 - t) ** 2 * p + 2 * (1 - t) * t * a + t ** 2 * q
        : (1 - t) ** 3 * p + 3 * (1 - t) ** 2 * t * a + 3 * (1 - t) * t ** 2 * b + t ** 3 * q;
    const steps = command === "M" ? 0 : 40;
    for (let i = 1; i <= steps; i++) found.push([at(i / 40, x, ax, bx, endX), at(i / 40, y, ay, by, endY)]);
    [x, y] = [endX, endY];
  }
  return found;
}

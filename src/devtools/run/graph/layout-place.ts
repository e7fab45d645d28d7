/**
 * Vertical places: every vertex as near as possible to its neighbours' mean, none closer than the gap.
 *
 * One layer is a least-squares problem with order constraints, solved exactly by pooling adjacent violators (isotonic
 * regression). Layers take turns, down and up. Bends weigh more than beans, so that long edges run level. The tallest layer
 * limits the height of all.
 */

import type { Vertex } from "./layout-order.ts";

const PASSES = 18;
const BOTH_SIDES_FROM = 13;

/** The free space between two beans, a bean and a bend, two bends. */
export interface Gaps {
  readonly gap: number;
  readonly bendGap: number;
  readonly lane: number;
}

/** Centre y of every vertex. */
export function placeVertices(
  vertices: readonly Vertex[],
  layers: readonly number[][],
  { gap, bendGap, lane }: Gaps,
): Float64Array {
  const y = new Float64Array(vertices.length);
  const apart = (a: number, b: number): number => {
    const [first, second] = [vertices[a], vertices[b]];
    if (!first || !second) return gap;
    const bends = (first.bean < 0 ? 1 : 0) + (second.bean < 0 ? 1 : 0);
    return (first.height + second.height) / 2 + (bends === 0 ? gap : bends === 1 ? bendGap : lane);
  };
  const tallest = Math.max(0, ...layers.map((layer) => stack(layer, y, apart)));
  for (let pass = 0; pass < PASSES; pass++) {
    const downward = pass % 2 === 0;
    for (const layer of downward ? layers : layers.toReversed()) {
      const wishes = layer.map((v) =>
        wish(vertices, v, y, pass >= BOTH_SIDES_FROM ? "both" : downward ? "up" : "down"),
      );
      pool(layer, wishes, y, apart);
      hold(layer, y, apart, tallest / 2);
    }
  }
  return y;
}

type Apart = (a: number, b: number) => number;

/** Stacks a layer around zero and returns its height. */
function stack(layer: readonly number[], y: Float64Array, apart: Apart): number {
  let at = 0;
  layer.forEach((v, index) => {
    at = index === 0 ? 0 : at + apart(layer[index - 1] ?? 0, v);
    y[v] = at;
  });
  for (const v of layer) y[v] = (y[v] ?? 0) - at / 2;
  return at;
}

/** Keeps a layer within the height of the tallest, so that no picture is taller than necessary. */
function hold(layer: readonly number[], y: Float64Array, apart: Apart, half: number): void {
  const offset = (i: number): number => (i === 0 ? 0 : apart(layer[i - 1] ?? 0, layer[i] ?? 0));
  let low = -half;
  layer.forEach((v, i) => {
    low += offset(i);
    y[v] = Math.max(y[v] ?? 0, low);
  });
  let high = half;
  for (let i = layer.length - 1; i >= 0; i--) {
    const v = layer[i] ?? 0;
    y[v] = Math.min(y[v] ?? 0, high);
    high -= offset(i);
  }
}

interface Wish {
  readonly y: number;
  readonly weight: number;
}

function wish(vertices: readonly Vertex[], v: number, y: Float64Array, side: "up" | "down" | "both"): Wish {
  const vertex = vertices[v];
  if (!vertex) return { y: 0, weight: 0.2 };
  const neighbours = side === "both" ? [...vertex.up, ...vertex.down] : vertex[side];
  let sum = 0;
  let weight = 0;
  for (const n of neighbours) {
    const bends = (vertex.bean < 0 ? 1 : 0) + ((vertices[n]?.bean ?? 0) < 0 ? 1 : 0);
    const pull = bends === 2 ? 8 : bends === 1 ? 2 : 1;
    sum += (y[n] ?? 0) * pull;
    weight += pull;
  }
  return weight === 0 ? { y: y[v] ?? 0, weight: 0.2 } : { y: sum / weight, weight };
}

/** Places one layer. Blocks that would collide are merged at their weighted mean. */
function pool(layer: readonly number[], wishes: readonly Wish[], y: Float64Array, apart: Apart): void {
  const offsets: number[] = [];
  layer.forEach((v, i) => offsets.push(i === 0 ? 0 : (offsets[i - 1] ?? 0) + apart(layer[i - 1] ?? 0, v)));
  const blocks: { at: number; weight: number; size: number }[] = [];
  wishes.forEach((wanted, i) => {
    let block = { at: wanted.y - (offsets[i] ?? 0), weight: wanted.weight, size: 1 };
    for (let last = blocks.at(-1); last && last.at >= block.at; last = blocks.at(-1)) {
      blocks.pop();
      const weight = last.weight + block.weight;
      const at = (last.at * last.weight + block.at * block.weight) / weight;
      block = { at, weight, size: last.size + block.size };
    }
    blocks.push(block);
  });
  let i = 0;
  for (const block of blocks) {
    for (let k = 0; k < block.size; k++, i++) y[layer[i] ?? 0] = block.at + (offsets[i] ?? 0);
  }
}

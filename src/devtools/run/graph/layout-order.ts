/**
 * Order of the beans inside each layer, with as few crossing edges as a few cheap sweeps can reach.
 *
 *   first order (depth first) ──▶ weighted median, down and up ──▶ swap neighbours ──▶ keep the best seen
 *
 * Deterministic, without randomness. Every tie is broken by the input order.
 */

/** A vertex of the layered graph: a bean, or a bend of an edge that spans several layers. */
export interface Vertex {
  /** Index of the bean, or -1 for a bend. */
  readonly bean: number;
  readonly rank: number;
  readonly width: number;
  readonly height: number;
  readonly up: number[];
  readonly down: number[];
}

const MAX_SWEEPS = 16;
const MAX_STALE = 5;

/** Vertex indices by layer, top to bottom; `skip` holds vertices without a layer. */
export function orderLayers(vertices: readonly Vertex[], skip: ReadonlySet<number>): number[][] {
  const layers = firstOrder(vertices, skip);
  const position = new Int32Array(vertices.length);
  settle(layers, position);
  let best = countCrossings(vertices, layers, position);
  let bestLayers = layers.map((layer) => [...layer]);
  for (let sweep = 0, stale = 0; sweep < MAX_SWEEPS && stale < MAX_STALE && best > 0; sweep++) {
    medianSweep(vertices, layers, position, sweep);
    swapNeighbours(vertices, layers, position);
    const crossings = countCrossings(vertices, layers, position);
    stale = crossings < best ? 0 : stale + 1;
    if (crossings < best) {
      best = crossings;
      bestLayers = layers.map((layer) => [...layer]);
    }
  }
  return bestLayers;
}

function firstOrder(vertices: readonly Vertex[], skip: ReadonlySet<number>): number[][] {
  const layers: number[][] = Array.from({ length: Math.max(0, ...vertices.map((v) => v.rank + 1)) }, () => []);
  const seen = new Set(skip);
  const visit = (root: number): void => {
    const stack = [root];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const vertex = vertices[next];
      if (!vertex || seen.has(next)) continue;
      seen.add(next);
      layers[vertex.rank]?.push(next);
      stack.push(...vertex.down.toReversed());
    }
  };
  vertices.forEach((vertex, index) => {
    if (vertex.bean >= 0 && vertex.up.length === 0) visit(index);
  });
  vertices.forEach((_, index) => visit(index));
  return layers;
}

function settle(layers: readonly number[][], position: Int32Array): void {
  for (const layer of layers) layer.forEach((vertex, index) => (position[vertex] = index));
}

/** Crossings between neighbouring layers, counted with a Fenwick tree. */
function countCrossings(vertices: readonly Vertex[], layers: readonly number[][], position: Int32Array): number {
  let total = 0;
  for (let rank = 0; rank + 1 < layers.length; rank++) {
    const width = (layers[rank + 1]?.length ?? 0) + 1;
    const tree = new Int32Array(width + 1);
    let added = 0;
    for (const vertex of layers[rank] ?? []) {
      const targets = (vertices[vertex]?.down ?? []).map((v) => position[v] ?? 0).sort((a, b) => a - b);
      for (const target of targets) {
        let before = 0;
        for (let i = target + 1; i > 0; i -= i & -i) before += tree[i] ?? 0;
        total += added - before;
        added++;
        for (let i = target + 1; i <= width; i += i & -i) tree[i] = (tree[i] ?? 0) + 1;
      }
    }
  }
  return total;
}

function medianSweep(vertices: readonly Vertex[], layers: number[][], position: Int32Array, sweep: number): void {
  const downward = sweep % 2 === 0;
  const bias = sweep % 4 < 2 ? 1 : -1;
  for (const layer of downward ? layers : layers.toReversed()) {
    const keys = new Map<number, number>();
    for (const v of layer) {
      const neighbours = (downward ? vertices[v]?.up : vertices[v]?.down) ?? [];
      keys.set(v, median(neighbours.map((n) => position[n] ?? 0)) ?? position[v] ?? 0);
    }
    const at = (v: number): number => keys.get(v) ?? 0;
    layer.sort((a, b) => at(a) - at(b) || bias * ((position[a] ?? 0) - (position[b] ?? 0)));
    layer.forEach((v, index) => (position[v] = index));
  }
}

/** The weighted median of Gansner et al.; between two middle values, nearer to the denser side. */
function median(values: number[]): number | undefined {
  const sorted = values.sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const low = sorted[middle - 1];
  const high = sorted[middle];
  if (high === undefined) return undefined;
  if (sorted.length % 2 === 1 || low === undefined) return high;
  if (sorted.length === 2) return (low + high) / 2;
  const left = low - (sorted[0] ?? low);
  const right = (sorted.at(-1) ?? high) - high;
  return left + right === 0 ? (low + high) / 2 : (low * right + high * left) / (left + right);
}

function swapNeighbours(vertices: readonly Vertex[], layers: number[][], position: Int32Array): void {
  for (let round = 0, improved = true; improved && round < 4; round++) {
    improved = false;
    for (const layer of layers) {
      for (let i = 0; i + 1 < layer.length; i++) {
        const [a, b] = [layer[i] ?? 0, layer[i + 1] ?? 0];
        if (swapGain(vertices[a], vertices[b], position) <= 0) continue;
        layer[i] = b;
        layer[i + 1] = a;
        position[a] = i + 1;
        position[b] = i;
        improved = true;
      }
    }
  }
}

function swapGain(a: Vertex | undefined, b: Vertex | undefined, position: Int32Array): number {
  if (!a || !b) return 0;
  let gain = 0;
  for (const [ofA, ofB] of [
    [a.up, b.up],
    [a.down, b.down],
  ] as const) {
    for (const p of ofA) for (const q of ofB) gain += Math.sign((position[p] ?? 0) - (position[q] ?? 0));
  }
  return gain;
}

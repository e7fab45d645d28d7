/**
 * The keys of the page in words, as the help lists them. page-keys.ts and graph-keys.ts act on them.
 */

/** Keys and their effects, as the help lists them. */
export const shortcuts: readonly (readonly [keys: string, does: string])[] = [
  ["Ctrl / ⌘ Enter", "send"],
  ["Ctrl / ⌘ K", "go to a route, bean or run"],
  ["/", "find a bean"],
  ["s  c  i  l", "Start, Compose, Inspect, Lanes"],
  ["r  h", "in Compose: requests, history"],
  ["g", "the graph; then arrows, Enter, Esc"],
  ["f  0", "in the graph: fit the route, fit everything"],
  ["+  −", "in the graph: zoom"],
  ["a  b  p  e", "on a run: mark as A or B, pin, edit"],
  ["[  ]", "previous call, next call"],
  ["p", "replay the path"],
  ["o", "only reachable"],
  ["t", "theme"],
  ["?", "these keys"],
];

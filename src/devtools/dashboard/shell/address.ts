/**
 * The address of a selection: `#place=inspect&route=…&trace=<instance>.<sequence>&tab=…&bean=…`. Pure.
 *
 * It has what the user selected, and the text of the search, but never a header or body value. Parts with their usual value are
 * left out.
 */

import type { DetailTab, Place } from "../store/panels.ts";

/** The parts of an address, in the order in which they are written. */
export const LINK_PARTS = [
  "place",
  "route",
  "trace",
  "tab",
  "bean",
  "call",
  "leaf",
  "list",
  "q",
  "brush",
  "a",
  "b",
] as const;

/** The target of an address; null for a part with its usual value. */
export type Link = Readonly<Record<(typeof LINK_PARTS)[number], string | null>>;

/** The first place of the page. */
export const FIRST_PLACE: Place = "compose";

/** The tab of a link without one: a link to a bean shows the bean, and Inspect begins with Why. */
export const usualTab = (place: Place, bean: string | null): DetailTab =>
  bean !== null ? "node" : place === "inspect" ? "why" : "response";

/** Reads a location hash. */
export function parseLink(hash: string): Link {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  return Object.fromEntries(LINK_PARTS.map((name) => [name, params.get(name) || null])) as Link;
}

/** The hash of a link, `""` without a target. */
export function formatLink(link: Link): string {
  const params = new URLSearchParams();
  for (const name of LINK_PARTS) {
    const value = link[name];
    if (value !== null) params.set(name, value);
  }
  const text = params.toString();
  return text ? `#${text}` : "";
}

/**
 * Whether Back should return from one address to the other. Typing a search is not a step, nor is a call that closed by itself,
 * nor a brush that moves.
 */
export function isStep(before: Link, now: Link): boolean {
  return LINK_PARTS.some((name) => {
    if (name === "q" || before[name] === now[name]) return false;
    if (name === "brush") return before.brush === null || now.brush === null;
    return (name !== "call" && name !== "leaf") || now[name] !== null;
  });
}

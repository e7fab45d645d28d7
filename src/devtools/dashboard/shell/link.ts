/**
 * Deep links: `#route=…&trace=<instance>.<sequence>&bean=…`. Never a header or body value. Pure.
 */

/** What a link points at. */
export interface Link {
  readonly route: string | null;
  readonly trace: string | null;
  readonly bean: string | null;
}

/** Reads a location hash; what is missing or empty is null. */
export function parseLink(hash: string): Link {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const read = (name: string): string | null => params.get(name) || null;
  return { route: read("route"), trace: read("trace"), bean: read("bean") };
}

/** The hash of a link, `""` when it points at nothing. */
export function formatLink(link: Link): string {
  const params = new URLSearchParams();
  for (const name of ["route", "trace", "bean"] as const) {
    const value = link[name];
    if (value !== null) params.set(name, value);
  }
  const text = params.toString();
  return text === "" ? "" : `#${text}`;
}

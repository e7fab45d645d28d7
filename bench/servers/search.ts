/**
 * The search behind the QUERY route, the same for every server.
 */

/** What the search answers. */
export function found(body: unknown): object {
  const { text, limit } = body as { readonly text: string; readonly limit: number };
  return { text, limit, hits: [`${text} 1`, `${text} 2`] };
}

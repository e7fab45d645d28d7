/**
 * The origin of a page (RFC 6454): whether it is written as browsers write it, and whether it is that of the requested host.
 *
 *   Origin: https://shop.example     Host: shop.example ──▶ the same      the other way round, over TLS: http ──▶ not
 */

/** Is it an origin as browsers send it: lower case, no path, no default port? An app may have a scheme of its own. */
export function isPageOrigin(text: unknown): boolean {
  try {
    if (typeof text !== "string") return false;
    const { protocol, host } = new URL(text); // `origin` is null for a scheme such as capacitor://localhost.
    return host !== "" && `${protocol}//${host}` === text;
  } catch {
    return false;
  }
}

/** Is the page's host the requested one? A page without TLS does not match a request over TLS. */
export function isOfHost(
  origin: string,
  { host, scheme }: { readonly host: string | undefined; readonly scheme: string },
): boolean {
  if (host === undefined) return false;
  try {
    const page = new URL(origin);
    const isSecure = page.protocol === "https:";
    if (page.origin !== origin || (!isSecure && (page.protocol !== "http:" || scheme === "https"))) return false;
    // Behind a proxy that terminates TLS without being trusted, the page's own scheme counts.
    return new URL(`${page.protocol}//${host}`).host === page.host;
  } catch {
    return false;
  }
}

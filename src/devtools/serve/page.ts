/**
 * Page: the built dashboard, loaded on first request.
 *
 * Page and policy come from one module that the build writes, so that the policy's hashes always fit the page. It is
 * compressed here, once a process, because it contains the settings of the installation.
 *
 * Spec: spec/devtools.md
 */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { isRecord } from "../run/values.ts";

/** The page, and the headers sent with it. */
export interface Page {
  readonly html: string;
  readonly csp: string;
  readonly etag: string;
  readonly gzip: Uint8Array;
}

/** The developer's message if the page is not built. */
export const notBuilt = "the dashboard is not built: run `make build`";

/** The page's settings of this installation, by the name of the attribute. */
export type PageSettings = Readonly<Record<`data-${string}`, string | number | undefined>>;

/** Loads the page from the module that the build writes next to the compiled server. Undefined if it is missing. */
export async function loadPage(settings: PageSettings, module: URL = builtPage): Promise<Page | undefined> {
  const built: unknown = await import(module.href).catch(() => undefined);
  const page = isRecord(built) ? built["page"] : undefined;
  if (!isRecord(page)) return undefined;
  const { html, csp, etag } = page;
  if (typeof html !== "string" || typeof csp !== "string" || typeof etag !== "string") return undefined;
  const attributes = Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join("");
  if (attributes === "") return { html, csp, etag: quoted(etag), gzip: gzipSync(html) };
  const configured = html.replace(/<html\b/i, (tag) => tag + attributes);
  const mark = createHash("sha256").update(attributes).digest("base64url").slice(0, 12);
  return { html: configured, csp, etag: quoted(`${etag.replaceAll('"', "")}-${mark}`), gzip: gzipSync(configured) };
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const builtPage = new URL("../dashboard/page.js", import.meta.url);

const quoted = (etag: string): string => (/^(?:W\/)?".*"$/.test(etag) ? etag : `"${etag}"`);

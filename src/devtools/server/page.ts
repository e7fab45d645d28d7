/**
 * Page: the built dashboard, loaded when it is first asked for.
 *
 * Page and policy come from one module that the build writes, so that the policy's hashes always fit the page.
 *
 * Spec: spec/devtools.md (DEV)
 */
import { gzipSync } from "node:zlib";

/** The page, and what goes out with it. */
export interface Page {
  readonly html: string;
  readonly csp: string;
  readonly etag: string;
  readonly gzip: Uint8Array;
}

/** What a developer reads where the page is not built. */
export const notBuilt = "the dashboard is not built: run `make build`";

/**
 * Loads the page from the module the build writes beside the compiled server; undefined when it is not there. `app` is
 * what the application is called.
 */
export async function loadPage(
  slowMs: number | undefined,
  module: URL = builtPage,
  app?: string,
): Promise<Page | undefined> {
  let built: unknown;
  try {
    built = await import(module.href);
  } catch {
    return undefined;
  }
  const page = isRecord(built) ? built["page"] : undefined;
  if (!isRecord(page)) return undefined;
  const { html, csp, etag, gzip } = page;
  if (typeof html !== "string" || typeof csp !== "string" || typeof etag !== "string" || typeof gzip !== "string")
    return undefined;
  if (slowMs === undefined && app === undefined)
    return { html, csp, etag: quoted(etag), gzip: Buffer.from(gzip, "base64") };
  const given = { "data-slow-ms": slowMs, "data-app": app };
  const attributes = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${escaped(String(value))}"`],
  );
  const configured = html.replace(/<html\b/i, () => `<html${attributes.join("")}`);
  const tag = [etag.replaceAll('"', ""), slowMs, app].filter((part) => part !== undefined).join("-");
  return { html: configured, csp, etag: quoted(tag.replace(/[^\w./@-]/g, "_")), gzip: gzipSync(configured) };
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const builtPage = new URL("../dashboard/page.js", import.meta.url);

const quoted = (etag: string): string => (/^(?:W\/)?".*"$/.test(etag) ? etag : `"${etag}"`);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

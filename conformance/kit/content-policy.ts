/** A page's Content-Security-Policy, and the parts of the page that it must allow. CSP level 3. */
import { createHash } from "node:crypto";

/** Directive → its sources, sorted. Several policies, in several lines or separated by commas, are merged. */
export function directives(policy: string): Readonly<Record<string, readonly string[]>> {
  const parts = policy.split(/[;,]/).map((directive) => directive.trim().split(/\s+/));
  const named = parts.filter(([name]) => name !== "");
  return Object.fromEntries(named.map(([name = "", ...sources]) => [name.toLowerCase(), sources.toSorted()]));
}

/** The hash sources for every inline element of that name in the page, sorted. */
export function hashSources(html: string, element: "script" | "style"): readonly string[] {
  const inline = new RegExp(`<${element}\\b[^>]*>([\\s\\S]*?)</${element}>`, "gi");
  return Array.from(html.matchAll(inline), ([, text = ""]) => {
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  }).toSorted();
}

const loading =
  /<(?:script|img|iframe|frame|source|object|embed|link|video|audio|track|input)\b[^>]*?\s(?:src|href|data|srcset|poster)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi;
const styling = /(?:url\(\s*["']?|@import\s+["'])([^"')]+)/gi;

/** The addresses that the page's markup and styles load, without `data:`. It does not see what scripts would load. */
export function loads(html: string): readonly string[] {
  const markup = html.replaceAll(/(<(script|style)\b[^>]*>)[\s\S]*?<\/\2>/gi, "$1");
  const styles = Array.from(html.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style>/gi), ([, text = ""]) => text).join("\n");
  const found = [...markup.matchAll(loading), ...styles.matchAll(styling)];
  return found
    .map(([, double, single, bare]) => double ?? single ?? bare ?? "")
    .filter((url) => !/^(?:data:|#)/.test(url));
}

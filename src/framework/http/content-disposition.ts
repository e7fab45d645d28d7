/**
 * Content-Disposition: the name under which a response is saved (RFC 6266).
 *
 *   "Übersicht 1.pdf" ──▶ attachment; filename="?bersicht 1.pdf"; filename*=UTF-8''%C3%9Cbersicht%201.pdf
 *
 * Today's clients read `filename*`. The plain `filename` is for older ones. No name can leave the client's download folder, end
 * the header or begin another parameter.
 *
 * Spec: spec/static.md
 */
import { usageError } from "../internal/usage-errors.ts";

/**
 * The header value for a download with that name.
 *
 * @param name without a folder. The part before a slash or backslash is dropped, as clients do
 * @throws TypeError when the name is invalid
 */
export function attachment(name: string): string {
  const base = typeof name === "string" ? name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1) : "";
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  const clean = base.replace(/[\0-\x1f\x7f]|\p{Surrogate}/gu, "");
  if (clean === "" || clean === "." || clean === "..")
    throw usageError(
      "RESPONSE_VALUE",
      `ctx.download() got ${JSON.stringify(name)} for a name: that of a file is allowed, such as "report.pdf"`,
    );
  const plain = clean.replace(/[^\x20-\x7e]/g, "?").replace(/["\\]/g, String.raw`\$&`);
  // Some clients decode a percent sign in the plain name, so they get the other one.
  const isPlain = /^[\x20-\x7e]*$/.test(clean) && !clean.includes("%");
  return `attachment; filename="${plain}"${isPlain ? "" : `; filename*=UTF-8''${extended(clean)}`}`;
}

/** A value of RFC 8187. `encodeURIComponent` leaves four characters unescaped that it does not allow. */
const extended = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);

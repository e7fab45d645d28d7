/**
 * File names as clients send them, and in a safe form.
 *
 *   "C:\\fakepath\\me.png" ──▶ me.png     "../../etc/passwd" ──▶ passwd     "a\0.png" ──▶ a.png     ".." ──▶ unnamed
 *
 * Spec: spec/multipart.md
 */

/** Control characters, characters that reverse the text direction, and characters that current file systems forbid in names. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const unwanted = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff<>:"|?*]/g;
const longest = 200;

/**
 * A name that is one segment of a path, for any input: no separator, no control character, not `.` or `..`, and at most 200
 * bytes. Two files can get the same one.
 */
export function safeName(sent: string | undefined): string {
  const last = (sent ?? "").split(/[/\\]/).at(-1) ?? "";
  const name = /^(?:.*[^. ])?/su.exec(cut(last.replace(unwanted, "").trim()))?.[0] ?? "";
  return name === "" ? "unnamed" : name;
}

/** Its beginning and its extension, within the limit. */
function cut(name: string): string {
  if (bytesOf(name) <= longest) return name;
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(name)?.[0] ?? "";
  let kept = "";
  for (const character of name.slice(0, name.length - extension.length)) {
    if (bytesOf(kept + character + extension) > longest) break;
    kept += character;
  }
  return kept + extension;
}

const encoder = new TextEncoder();

/** The number of bytes of a text in UTF-8. */
export const bytesOf = (text: string): number => encoder.encode(text).length;

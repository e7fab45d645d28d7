/**
 * Header lines as received, a flat list of names and values: whether lines of one field differ.
 *
 * Node keeps the first Content-Type and forgets the others, web `Headers` join all of them.
 *
 * Spec: spec/errors.md
 */

/** Do the lines of that field, its name in lower case, have different values? */
export function differ(lines: readonly string[], name: string): boolean {
  let first: string | undefined;
  for (let at = 0; at < lines.length; at += 2) {
    if (lines[at]?.length !== name.length || lines[at]?.toLowerCase() !== name) continue;
    if (first === undefined) first = lines[at + 1];
    else if (first !== lines[at + 1]) return true;
  }
  return false;
}

/** The values that were joined by commas. A comma in quotes does not count. */
export const valuesOf = (joined: string): readonly string[] =>
  (joined.match(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g) ?? []).map((value) => value.trim());

/**
 * Lists of structured fields (RFC 9651 §3.1) with tokens or strings as members, such as `Accept-Query`.
 *
 *   "application/json, \"text/plain\";q=\"1\"" ──▶ [{ value: "application/json", … }, { value: "text/plain", … }]
 *
 * Strict, as §4.2 requires: a field that is malformed anywhere is ignored as a whole. Members of another type count as
 * malformed here, since no field that the suite reads has any.
 */

/** A member: its text, its type, and the names of its parameters. */
export interface ListItem {
  readonly value: string;
  readonly form: "token" | "string";
  readonly parameters: readonly string[];
}

/** The members of a field, with all of its lines joined by commas, or undefined if it is malformed. */
export function parseList(field: string): readonly ListItem[] | undefined {
  const reader = new Reader(field.replace(/^ +| +$/g, ""));
  const items: ListItem[] = [];
  if (reader.atEnd()) return items;
  for (;;) {
    const item = readItem(reader);
    if (item === undefined) return undefined;
    items.push(item);
    reader.take(/[ \t]*/y);
    if (reader.atEnd()) return items;
    if (reader.take(/,[ \t]*/y) === undefined || reader.atEnd()) return undefined;
  }
}

/** Reads from its position. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** The match of a sticky expression here, which is consumed, or undefined if it does not match. */
  take(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const [found] = expression.exec(this.#text) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }
}

const token = /[A-Za-z*][!#$%&'*+.^_`|~\w:/-]*/y;
const string = /"(?:[ !#-[\]-~]|\\["\\])*"/y;
const bare = /-?\d{1,12}\.\d{1,3}|-?\d{1,15}|\?[01]|:[A-Za-z0-9+/=]*:|@-?\d{1,15}/y;

function readItem(reader: Reader): ListItem | undefined {
  const written = reader.take(string);
  const value = written === undefined ? reader.take(token) : written.slice(1, -1).replace(/\\(.)/g, "$1");
  if (value === undefined) return undefined;
  const parameters: string[] = [];
  while (reader.take(/; */y) !== undefined) {
    const key = reader.take(/[a-z*][\w.*-]*/y);
    if (key === undefined || /[A-Z]/.test(key)) return undefined;
    if (
      reader.take(/=/y) !== undefined &&
      (reader.take(string) ?? reader.take(token) ?? reader.take(bare)) === undefined
    )
      return undefined;
    parameters.push(key);
  }
  return { value, form: written === undefined ? "token" : "string", parameters };
}

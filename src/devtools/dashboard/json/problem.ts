/**
 * The error in a text that should be JSON, and its place. Pure.
 *
 *   text ──▶ token by token, each compared with the expected ones ──▶ the first that differs
 *
 * `JSON.parse` does not always have the place. A test proves that both judge the same.
 */

/** The place of an error in JSON text; both numbers count from 1. */
export interface JsonProblem {
  readonly line: number;
  readonly column: number;
  /** The offset in the text, from 0, and the number of characters: zero at its end, and where no JSON token begins. */
  readonly offset: number;
  readonly length: number;
  readonly message: string;
}

/** White space, and a JSON token if there is one. */
const TOKEN =
  // eslint-disable-next-line no-control-regex -- the control characters are what a string must not have
  /[ \t\n\r]*([{}[\]:,]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)|)/y;
const VALUE = "a value";
const NAME = "a property name";
const COLON = "a colon";
const NEXT = "a comma";
const END = "the end";
/** The beginning of each expected token; at the end there is none. */
const BEGINS: Readonly<Record<string, RegExp>> = { [VALUE]: /^[^}\],:]/, [NAME]: /^"/, [COLON]: /^:/, [NEXT]: /^,/ };

/** The first error in JSON text, or undefined for valid or empty text. */
export function jsonProblem(text: string): JsonProblem | undefined {
  if (!text.trim()) return undefined;
  /** The closing brackets of the open ones. */
  const open: string[] = [];
  let expected = VALUE;
  let before = "";
  TOKEN.lastIndex = 0;
  for (;;) {
    const token = TOKEN.exec(text)?.[1] ?? "";
    const offset = TOKEN.lastIndex - token.length;
    const closes = token !== "" && token === open.at(-1) && (expected === NEXT || before === "{" || before === "[");
    if (!token && offset === text.length && expected === END) return undefined;
    if (!closes && !BEGINS[expected]?.test(token)) {
      const wanted = expected === NEXT ? `${NEXT} or ${open.at(-1) ?? ""}` : expected;
      const isToken = token !== "" || offset === text.length;
      return problemAt(text, offset, token, isToken ? `${wanted} is expected` : "invalid symbol");
    }
    if (closes) open.pop();
    if (token === "{" || token === "[") open.push(token === "{" ? "}" : "]");
    expected = expectedAfter(token, expected, open);
    before = token;
  }
}

function expectedAfter(token: string, expected: string, open: readonly string[]): string {
  if (token === "{") return NAME;
  if (token === "," && open.at(-1) === "}") return NAME;
  if (token === "[" || token === ":" || token === ",") return VALUE;
  if (expected === NAME && token !== "}") return COLON;
  return open.length === 0 ? END : NEXT;
}

function problemAt(text: string, offset: number, token: string, message: string): JsonProblem {
  const lines = text.slice(0, offset).split(/\r\n|[\r\n]/);
  const column = (lines.at(-1) ?? "").length + 1;
  return { line: lines.length, column, offset, length: token.length, message };
}

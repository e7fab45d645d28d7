/**
 * What is wrong with a text that should be JSON, and where. Pure.
 *
 *   text ──▶ token by token, each held against what is expected there ──▶ the first that is not
 *
 * `JSON.parse` does not always say where; a test holds both to the same judgement.
 */

/** Where JSON text is wrong; both count from 1. */
export interface JsonProblem {
  readonly line: number;
  readonly column: number;
  /** Where in the text, from 0, and over how many characters: none at its end, and where no token of JSON begins. */
  readonly offset: number;
  readonly length: number;
  readonly message: string;
}

/** White space, and a token of JSON where there is one. */
const TOKEN =
  // eslint-disable-next-line no-control-regex -- the control characters are what a string must not have
  /[ \t\n\r]*([{}[\]:,]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)|)/y;
const VALUE = "a value";
const NAME = "a property name";
const COLON = "a colon";
const NEXT = "a comma";
const END = "the end";
/** How a token begins that is what was expected; at the end none is. */
const BEGINS: Readonly<Record<string, RegExp>> = { [VALUE]: /^[^}\],:]/, [NAME]: /^"/, [COLON]: /^:/, [NEXT]: /^,/ };

/** The first thing wrong in JSON text; undefined for valid or empty text. */
export function jsonProblem(text: string): JsonProblem | undefined {
  if (!text.trim()) return undefined;
  /** The brackets that are open, as they are closed. */
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

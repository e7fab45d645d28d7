/**
 * The names of a generated client: unique identifiers made from the names in a document.
 *
 *   "get-orders by id" ──▶ getOrdersById · "order.line" ──▶ OrderLine · taken already ──▶ OrderLine2
 */

/** Names of one scope. */
export class Names {
  readonly #reserved: ReadonlySet<string>;
  readonly #taken: Set<string> = new Set();
  /** The next number to try, by name, since a document may have one name a hundred thousand times. */
  readonly #numbers: Map<string, number> = new Map();

  /** @param reserved names that may not be used */
  constructor(reserved: readonly string[]) {
    this.#reserved = new Set(reserved);
  }

  /** `wanted`, or the nearest free name. @param suffix added to a reserved name */
  take(wanted: string, suffix: string): string {
    const free = this.#reserved.has(wanted) ? `${wanted}${suffix}` : wanted;
    let name = free;
    let number = this.#numbers.get(free) ?? 2;
    for (; this.#taken.has(name); number += 1) name = `${free}${number}`;
    this.#numbers.set(free, number);
    this.#taken.add(name);
    return name;
  }
}

/** `listOrders` of `list orders`. @param fallback for a text without a letter */
export function methodName(text: string, fallback: string): string {
  const [first = "", ...rest] = wordsOf(text);
  const name = first.charAt(0).toLowerCase() + first.slice(1) + rest.map(capital).join("");
  if (/^\p{ID_Start}/u.test(name)) return name;
  // A method of HTTP may have characters that no identifier allows.
  const before = fallback.replaceAll(/[^a-z]/g, "");
  return `${before === "" ? "call" : before}${capital(name)}`;
}

/** `OrderLine` of `order.line`. */
export function typeName(text: string): string {
  const name = wordsOf(text).map(capital).join("");
  return /^\p{ID_Start}/u.test(name) ? name : `Type${name}`;
}

const wordsOf = (text: string): string[] =>
  text
    .normalize("NFKC")
    .split(/[^\p{ID_Continue}]+/u)
    .map((word) => /[^_](?:.*[^_])?/su.exec(word)?.[0] ?? "")
    .filter((word) => word !== "")
    .map((word, at, all) => (at > 0 && /^\d/.test(word) && /\d$/.test(all[at - 1] ?? "") ? `_${word}` : word));

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Names that no method may have: every object has them, or `await` calls them. */
export const reservedMethods: readonly string[] = [
  "constructor",
  "prototype",
  "then",
  "toString",
  "toLocaleString",
  "toJSON",
  "valueOf",
  "hasOwnProperty",
  "isPrototypeOf",
  "propertyIsEnumerable",
];

/** Names that no type may have: the client's own, and the platform types that it uses. */
export const reservedTypes: readonly string[] = (
  "Call CallOptions Client ClientErrorStatus ClientOptions EventPlace Failed FailedResponseError FailureStatus HeaderValues Ok " +
  "Outcome RedirectStatus RequestBody RetryLimits ServerErrorStatus ServerSentEvent Socket SocketCall SocketClosedError " +
  "SocketOptions Stream StreamOptions StreamResult SuccessStatus TypedEvent TypedSocket UnexpectedResponseError WebSocketLike " +
  "AbortController AbortSignal Array ArrayBuffer AsyncGenerator AsyncIterable Blob Boolean DOMException Date Error ErrorOptions " +
  "Exclude Extract FormData Headers JSON Math Number Object Pick Promise ReadableStream Readonly Record Request Response " +
  "ReturnType String Symbol TextDecoder TextEncoder TypeError URL URLSearchParams Uint8Array WebSocket"
).split(" ");

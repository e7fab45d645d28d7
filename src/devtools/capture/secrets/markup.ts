/**
 * Secrets within markup: the content of an element with a secret name, and the value of a field with such a name.
 *
 *   "<ns:password>hunter2</ns:password>"      ──▶ "<ns:password>[redacted]</ns:password>"
 *   '<input name="_csrf" value="4f5e6d">'     ──▶ '<input name="_csrf" value="[redacted]">'
 *   '<property name="apiKey">4f5e6d</property>' ──▶ '<property name="apiKey">[redacted]</property>'
 *
 * `password="hunter2"` within a tag is an assignment. Brackets may be escaped, as in XML within XML or JSON.
 *
 * Spec: spec/trace.md
 */
import { REDACTED } from "../../run/wire.ts";
import type { TextRules } from "./assignments.ts";
import type { Span } from "./shapes.ts";
import { groupBy } from "../../run/values.ts";

/** The beginning of an opening tag. */
const tags = /(?:<|&lt;|\\u003c)([A-Za-z_\u00c0-\u1fff\u3040-\ud7ff][\w.:\u00c0-\u1fff\u3040-\ud7ff-]{0,63})/gi;
/** The end of a tag, or the beginning of another one. */
const bracket = /([<>])|&([lg])t;|\\{1,3}u003([ce])/gi;
/** Characters in a tag after its name. */
const insideChars = 512;
/** The attributes that name a field or hold its value, up to the value itself. */
const attributes =
  /(?<![\w:.-])(?:(name|key|property|field|id|type)|value|content|data-value)\s{0,3}=\s{0,3}(\\{0,3}["']|&quot;|)/gi;
const closingTags = /(?:<|&lt;|\\{1,3}u003c)\/([\w.:\u00c0-\u1fff\u3040-\ud7ff-]{1,64})/gi;

/** Secrets in the tags of a text that begin before `limit`. */
export function taggedIn(text: string, limit: number, rules: TextRules): readonly Span[] {
  const spans: Span[] = [];
  if (!/<|&lt;|u003c/i.test(text)) return spans;
  const contents = new Contents(text);
  tags.lastIndex = 0;
  for (let match = tags.exec(text); match !== null; match = tags.exec(text)) {
    if (match.index >= limit) break;
    const [whole, name = ""] = match;
    const from = match.index + whole.length;
    const [end, start] = endOfTag(text, from);
    if (end < 0) continue;
    const inside = text.slice(from, end);
    const { named, values } = attributesOf(inside, from);
    const secret = named.find((one) => rules.isSecret(one.name, "text"));
    if (secret !== undefined) spans.push(...values);
    if (inside.endsWith("/") || text.startsWith(REDACTED, start)) continue;
    const isNamed = secret?.ofContent === true && values.length === 0;
    if (!isNamed && !rules.isSecret(name, "text")) continue;
    const closing = contents.end(start, name);
    if (closing > start) spans.push([start, closing]);
    tags.lastIndex = Math.max(start, closing);
  }
  return spans;
}

/** The bracket that closes a tag; -1 if there is none. */
function endOfTag(text: string, from: number): Span {
  bracket.lastIndex = from;
  const match = bracket.exec(text);
  if (match === null) return [-1, -1];
  const { 0: whole, 1: plain, 2: entity, 3: escaped, index } = match;
  const isEnd = plain === ">" || entity?.toLowerCase() === "g" || escaped?.toLowerCase() === "e";
  const isTag = isEnd && index - from <= insideChars && (index === from || /[\s/]/.test(text[from] ?? ""));
  return isTag ? [index, index + whole.length] : [-1, -1];
}

interface Attributes {
  readonly named: { readonly name: string; readonly ofContent: boolean }[];
  /** The positions of its values. */
  readonly values: Span[];
}

function attributesOf(inside: string, at: number): Attributes {
  const { named, values }: Attributes = { named: [], values: [] };
  for (const { 0: whole, 1: name, 2: quote = "", index } of inside.matchAll(attributes)) {
    const start = index + whole.length;
    const found = quote === "" ? inside.slice(start).search(/[\s/]|$/) + start : inside.indexOf(quote, start);
    const end = found < 0 ? inside.length : found;
    // Many elements have an id or a type, and then their content is not a value.
    if (name !== undefined) named.push({ name: inside.slice(start, end), ofContent: !/^(?:id|type)$/i.test(name) });
    else if (end > start && !inside.startsWith(REDACTED, start)) values.push([at + start, at + end]);
  }
  return { named, values };
}

/** The ends of elements' contents. Closing tags are searched once for all of them. */
class Contents {
  readonly #text: string;
  /** The tags that close an element, by its name, the last one first. */
  #closing: ReadonlyMap<string, RegExpExecArray[]> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * The end of the content that begins there; each call asks for a later one. Without a closing tag, a text was cut, or the tag
   * is a placeholder within a sentence. Then the end is that of the following text without a space.
   */
  end(start: number, name: string): number {
    this.#closing ??= groupBy([...this.#text.matchAll(closingTags)].reverse(), ([, tag = ""]) => tag.toLowerCase());
    const tags = this.#closing.get(name.toLowerCase()) ?? [];
    while ((tags.at(-1)?.index ?? start) < start) tags.pop();
    return tags.at(-1)?.index ?? start + this.#text.slice(start).search(/[\s<]|$/);
  }
}

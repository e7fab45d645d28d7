/**
 * Secrets within markup: what an element of a secret name holds, and the value of a field that is named so.
 *
 *   "<ns:password>hunter2</ns:password>"      ──▶ "<ns:password>[redacted]</ns:password>"
 *   '<input name="_csrf" value="4f5e6d">'     ──▶ '<input name="_csrf" value="[redacted]">'
 *   '<property name="apiKey">4f5e6d</property>' ──▶ '<property name="apiKey">[redacted]</property>'
 *
 * `password="hunter2"` within a tag is an assignment. Brackets may be escaped, as of XML within XML or JSON.
 *
 * Spec: spec/trace.md
 */
import { REDACTED } from "../../run/wire.ts";
import type { TextRules } from "./assignments.ts";
import type { Span } from "./shapes.ts";

/** How an opening tag begins. */
const tags = /(?:<|&lt;|\\u003c)([A-Za-z_\u00c0-\u1fff\u3040-\ud7ff][\w.:\u00c0-\u1fff\u3040-\ud7ff-]{0,63})/gi;
/** How it ends, or another one begins. */
const bracket = /([<>])|&([lg])t;|\\{1,3}u003([ce])/gi;
/** Characters of what is in a tag besides its name. */
const insideChars = 512;
/** What names a field, or holds its value, up to the value itself. */
const attributes =
  /(?<![\w:.-])(?:(name|key|property|field|id|type)|value|content|data-value)\s{0,3}=\s{0,3}(\\{0,3}["']|&quot;|)/gi;
const closingTags = /(?:<|&lt;|\\{1,3}u003c)\/([\w.:\u00c0-\u1fff\u3040-\ud7ff-]{1,64})/gi;

/** What the tags of a text hold that is secret, and begins before `limit`. */
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

/** Where the bracket begins and ends that closes a tag; -1 where none does. */
function endOfTag(text: string, from: number): Span {
  bracket.lastIndex = from;
  const match = bracket.exec(text);
  if (match === null) return [-1, -1];
  const { 0: whole, 1: plain, 2: entity, 3: escaped, index } = match;
  const isEnd = plain === ">" || entity?.toLowerCase() === "g" || escaped?.toLowerCase() === "e";
  const isTag = isEnd && index - from <= insideChars && (index === from || /[\s/]/.test(text[from] ?? ""));
  return isTag ? [index, index + whole.length] : [-1, -1];
}

/** What the attributes of a tag say of it. */
interface Attributes {
  readonly named: { readonly name: string; readonly ofContent: boolean }[];
  /** Where its values are. */
  readonly values: Span[];
}

function attributesOf(inside: string, at: number): Attributes {
  const { named, values }: Attributes = { named: [], values: [] };
  for (const { 0: whole, 1: name, 2: quote = "", index } of inside.matchAll(attributes)) {
    const start = index + whole.length;
    const found = quote === "" ? inside.slice(start).search(/[\s/]|$/) + start : inside.indexOf(quote, start);
    const end = found < 0 ? inside.length : found;
    // Many elements have an id or a type: what they hold is no value.
    if (name !== undefined) named.push({ name: inside.slice(start, end), ofContent: !/^(?:id|type)$/i.test(name) });
    else if (end > start && !inside.startsWith(REDACTED, start)) values.push([at + start, at + end]);
  }
  return { named, values };
}

/** Where the contents of elements end: closing tags are looked for once, however many might end there. */
class Contents {
  readonly #text: string;
  /** Where the tags that close an element begin, by its name, the last one first. */
  #closing: Map<string, number[]> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * The end of what begins there; each call asks for a later one. Where nothing closes it, a text was cut, or the tag is a
   * blank to fill in within a sentence: then the end of what follows without a space.
   */
  end(start: number, name: string): number {
    const places = (this.#closing ??= this.#closings()).get(name.toLowerCase()) ?? [];
    while ((places.at(-1) ?? start) < start) places.pop();
    return places.at(-1) ?? start + this.#text.slice(start).search(/[\s<]|$/);
  }

  #closings(): Map<string, number[]> {
    const closing = new Map<string, number[]>();
    for (const { 1: name = "", index } of [...this.#text.matchAll(closingTags)].reverse()) {
      const places = closing.get(name.toLowerCase());
      if (places === undefined) closing.set(name.toLowerCase(), [index]);
      else places.push(index);
    }
    return closing;
  }
}

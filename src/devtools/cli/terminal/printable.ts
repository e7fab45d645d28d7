/**
 * Printable: text that a terminal shows and does not obey.
 *
 *   recorded text ──▶ printable ──▶ control characters are written as `\u{1b}`
 *   JSON          ──▶ printableJson ──▶ the same JSON, without a character that a terminal would act on
 *
 * Recorded values came from clients, databases and other services. None of them may move the cursor, change a title, or
 * reverse the text next to it.
 */

/** Scripts with letters that a zero-width character joins or separates. */
const joining =
  "\\p{Script=Arabic}\\p{Script=Bengali}\\p{Script=Devanagari}\\p{Script=Gujarati}\\p{Script=Gurmukhi}\\p{Script=Kannada}" +
  "\\p{Script=Khmer}\\p{Script=Malayalam}\\p{Script=Myanmar}\\p{Script=Oriya}\\p{Script=Sinhala}\\p{Script=Syriac}" +
  "\\p{Script=Tamil}\\p{Script=Telugu}";
const joinsLetters = `(?<=[${joining}])[\\u200c\\u200d](?=[${joining}])`;
const joinsEmoji = "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})";

/**
 * Controls of C0 and C1, line separators, characters that change the direction of a line, and all others that Unicode allows to
 * be ignored when shown, because a reader would not see what they say to an agent. Except joiners of letters and emoji.
 */
const OBEYED = new RegExp(
  `(?!${joinsLetters}|${joinsEmoji})[\\p{Cc}\\u2028\\u2029\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]`,
  "gu",
);
/** The emoji variation selector, which most emoji do not need. */
const emojiLook = /(?<=\p{Extended_Pictographic})\ufe0f(?!\p{Variation_Selector})/gu;

/** The text with escapes for characters that a terminal would act on, and for line breaks. */
export function printable(text: string): string {
  return text.replace(emojiLook, "").replace(OBEYED, (one) => {
    if (one === "\n") return "\\n";
    if (one === "\t") return "\\t";
    return `\\u{${codeOf(one).toString(16)}}`;
  });
}

/** The same, but a text with lines keeps them. */
export function printableLines(text: string): string {
  return text.replace(emojiLook, "").replace(OBEYED, (one) => (one === "\n" || one === "\t" ? one : printable(one)));
}

/** A value as JSON that a terminal does not act on, and that is the same value when it is read again. */
export function printableJson(value: unknown, indent?: number): string {
  const isOwnBreak = (one: string): boolean => indent !== undefined && one === "\n";
  const escaped = (one: string): string => (isOwnBreak(one) ? one : one.split("").map(escapeOf).join(""));
  return JSON.stringify(value, undefined, indent).replace(OBEYED, escaped);
}

const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

const codeOf = (one: string): number => one.codePointAt(0) ?? 0;

/** Characters of two columns: East Asian wide and full-width characters, and emoji. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}])/u;
const segments = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The number of columns of a text. */
export function columnsOf(text: string): number {
  if (isPlain(text)) return text.length;
  let columns = 0;
  for (const { segment } of segments.segment(text)) columns += columnsOfSegment(segment);
  return columns;
}

/** Whether each character takes one column, so that a long text need not be split. */
const isPlain = (text: string): boolean => /^[ -~]*$/.test(text);

const columnsOfSegment = (segment: string): number => (WIDE.test(segment) ? 2 : /^\p{M}/u.test(segment) ? 0 : 1);

/** The text in at most this many columns, ending in `…` if it is cut. */
export function cutTo(text: string, columns: number): string {
  if (isPlain(text)) return text.length <= columns ? text : columns > 0 ? `${text.slice(0, columns - 1)}…` : "";
  if (columnsOf(text) <= columns) return text;
  let kept = "";
  let taken = 0;
  for (const { segment } of segments.segment(text)) {
    taken += columnsOfSegment(segment);
    if (taken > columns - 1) break;
    kept += segment;
  }
  return columns > 0 ? `${kept}…` : "";
}

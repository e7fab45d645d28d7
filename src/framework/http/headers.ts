/**
 * Header fields: their validation, and the flat list that is the response's head.
 *
 * `writeHead` accepts the list as it is: name, value, name, value. A bad name or value is rejected at the call, so that no
 * header value can split a response.
 *
 * Spec: spec/context.md
 */
import { shown, usageError } from "../internal/usage-errors.ts";
import { isFraming, isToken } from "../internal/http-rules.ts";
import { encodedUrl } from "./location.ts";

/** Characters that no value may hold. An expression for the whole text would keep a backtrack point at each character. */
const unfit = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * A field's value as it is sent. A URL is percent-encoded.
 *
 * @throws TypeError when `name` is not a field name or frames the message, or the value is invalid (RFC 9110 §5).
 */
export function checkField(name: string, value: string | number): string {
  if (!goodNames.has(name)) checkName(name);
  const isUrl = (name.length === 8 || name.length === 16) && /^(?:content-)?location$/i.test(name);
  const text = isUrl ? encodedUrl(String(value)) : String(value);
  if (!isFieldValue(text))
    throw usageError(
      "HEADER_INVALID",
      `the value of header ${name} holds a character that no header may carry: ${JSON.stringify(text)}`,
    );
  return text;
}

/** Is `text` a field value (RFC 9110 §5.5)? Most are short, and a loop over them is done before the expression starts. */
function isFieldValue(text: string): boolean {
  if (text.length > 16) return !unfit.test(text);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 ? code !== 0x09 : code === 0x7f || code > 0xff) return false;
  }
  return true;
}

/** Names already found good, since an app uses the same few again. Bounded, since names may come from anywhere. */
const goodNames: Set<string> = new Set();
/** The maximum number of cached names and Content-Types. */
const maxGood = 256;

function checkName(name: string): void {
  if (!isToken(name)) throw usageError("HEADER_INVALID", `${JSON.stringify(name)} is not a header name`);
  if (isFraming(name)) throw usageError("HEADER_INVALID", `${name} is the engine's to set`);
  if (goodNames.size < maxGood) goodNames.add(name);
}

/** The attribute of a request with decided `Access-Control-*` fields. No web Response changes them. */
export const decidesCors: unique symbol = Symbol("framework/cors");

/** Is `name` Content-Length? A whole response gets its true one, even if another was set. */
export const isContentLength = (name: string): boolean => name.length === 14 && name.toLowerCase() === "content-length";

const sameName = (a: string | undefined, b: string): boolean =>
  a === b || (a?.length === b.length && a.toLowerCase() === b.toLowerCase());

/** The last value of a field in a flat list. */
export function fieldOf(list: readonly string[], name: string): string | undefined {
  for (let i = list.length - 2; i >= 0; i -= 2) if (sameName(list[i], name)) return list[i + 1];
  return undefined;
}

/** Every value of a field in a flat list, joined as RFC 9110 §5.3 says. */
export function fieldsOf(list: readonly string[], name: string): string | undefined {
  let joined: string | undefined;
  for (let i = 0; i < list.length; i += 2)
    if (sameName(list[i], name)) joined = joined === undefined ? list[i + 1] : `${joined}, ${list[i + 1]}`;
  return joined;
}

/** Restores the names of an earlier `Vary` that a list has lost. */
export function keepVary(list: string[], earlier: string | undefined): void {
  if (earlier === undefined) return;
  const now = fieldsOf(list, "vary");
  if (now === undefined) list.push("Vary", earlier);
  if (now === undefined || now === earlier) return;
  const have = membersOf(now.toLowerCase());
  const missing = membersOf(earlier).filter((member) => !have.includes("*") && !have.includes(member.toLowerCase()));
  if (missing.length > 0) replaceField(list, "Vary", [...membersOf(now), ...missing].join(", "));
}

const membersOf = (field: string): string[] => field.split(",").flatMap((member) => member.trim() || []);

/** Sets a field in a flat list and removes further lines with that name. */
export function replaceField(list: string[], name: string, text: string): void {
  let found = false;
  for (let i = 0; i < list.length; i += 2) {
    if (!sameName(list[i], name)) continue;
    if (found) {
      list.splice(i, 2);
      i -= 2;
    } else {
      list[i + 1] = text;
      found = true;
    }
  }
  if (!found) list.push(name, text);
}

/** The list without the fields whose lower-case name `drop` accepts. */
export function withoutFields(list: readonly string[], drop: (lowerCaseName: string) => boolean): string[] {
  const kept: string[] = [];
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i] ?? "";
    if (!drop(name.toLowerCase())) kept.push(name, list[i + 1] ?? "");
  }
  return kept;
}

/**
 * Does a field (lower-case name) describe the content? Then it is dropped with that content. A policy (CSP) and the content's
 * location are not.
 */
export const describesContent = (name: string): boolean =>
  name.startsWith("content-") && name !== "content-location" && !name.startsWith("content-security-policy");

/** `type/subtype` in lower case, or undefined when a Content-Type is not one (RFC 9110 §8.3.1). */
export function mediaTypeOf(contentType: string): string | undefined {
  const known = goodTypes.get(contentType);
  if (known !== undefined) return known;
  const found = parsedType(contentType);
  if (found !== undefined && contentType.length <= 128 && goodTypes.size < maxGood) goodTypes.set(contentType, found);
  return found;
}

/** Media types by their Content-Type. */
const goodTypes: Map<string, string> = new Map();

function parsedType(contentType: string): string | undefined {
  const semicolon = contentType.indexOf(";");
  const end = semicolon < 0 ? contentType.length : semicolon;
  const essence = contentType.slice(0, end).trim();
  const slash = essence.indexOf("/");
  if (slash <= 0 || !isToken(essence.slice(0, slash)) || !isToken(essence.slice(slash + 1))) return undefined;
  return parametersAreSound(contentType.slice(end)) ? essence.toLowerCase() : undefined;
}

const parameter =
  /[ \t]*;[ \t]*(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*"))?/y;

function parametersAreSound(text: string): boolean {
  parameter.lastIndex = 0;
  const end = text.trimEnd().length;
  while (parameter.lastIndex < end) if (!parameter.test(text)) return false;
  return true;
}

/** Does a Content-Type declare a charset other than UTF-8 and its subset ASCII? */
export const isOtherCharset = (contentType: string): boolean =>
  /;[\t ]*charset=(?!"?(?:utf-?8|(?:us-)?ascii)"?[\t ]*(?:;|$))/i.test(contentType);

/** Is that media type JSON (`application/json`, or a `+json` suffix)? */
export const isJson = (mediaType: string): boolean => mediaType === "application/json" || mediaType.endsWith("+json");

/** The value of one cookie (RFC 6265 §5.4), percent-decoded when it can be. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at >= 0 && withoutBlanks(pair.slice(0, at)) === name) return cookieValue(pair.slice(at + 1));
  }
  return undefined;
}

/** All cookies by name. The first one counts when a name repeats. */
export function cookiesOf(header: string | undefined): Readonly<Record<string, string>> {
  const cookies: Record<string, string> = Object.create(null);
  if (header === undefined) return cookies;
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at >= 0) cookies[withoutBlanks(pair.slice(0, at))] ??= cookieValue(pair.slice(at + 1));
  }
  return cookies;
}

function cookieValue(sent: string): string {
  const raw = withoutBlanks(sent);
  const text = raw.length > 1 && raw.startsWith('"') && raw.endsWith('"') ? raw.slice(1, -1) : raw;
  try {
    return text.includes("%") ? decodeURIComponent(text) : text;
  } catch {
    return text;
  }
}

/**
 * Trims spaces and tabs only. `trim` also removes characters such as U+00A0: a subdomain may set "\xa0__Host-session", on which
 * no browser enforces the prefix, and it would be read as `__Host-session`.
 */
function withoutBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (isBlank(text, from)) from += 1;
  while (isBlank(text, to - 1)) to -= 1;
  return text.slice(from, to);
}

const isBlank = (text: string, at: number): boolean => text[at] === " " || text[at] === "\t";

/** One link (RFC 8288): a target in ASCII without spaces, then parameters, of which one is `rel`. */
const link =
  /^<[\x21-\x3b\x3d\x3f-\x7e]+>(?:\s*;\s*[\w!#$%&'*+.^`|~-]+(?:=(?:[\w!#$%&'*+.^`|~:/-]+|"[\x21\x23-\x3a\x3c-\x5b\x5d-\x7e]*"))?)+$/;
const relation = /;\s*rel=/i;

/** The links of an early hint (103, RFC 8297). @throws TypeError (`HEADER_INVALID`) naming the first value that is no link. */
export function checkedLinks(links: string | readonly string[]): readonly string[] {
  const list: unknown = typeof links === "string" ? [links] : links;
  const wrong: unknown =
    Array.isArray(list) && list.length > 0 ? list.find((one) => !isLink(one)) : (list ?? "nothing");
  if (wrong === undefined) return list as readonly string[];
  throw usageError(
    "HEADER_INVALID",
    `ctx.earlyHints: ${shown(wrong)} is no link: write </style.css>; rel=preload; as=style, or a list of those`,
  );
}

const isLink = (value: unknown): boolean => typeof value === "string" && link.test(value) && relation.test(value);

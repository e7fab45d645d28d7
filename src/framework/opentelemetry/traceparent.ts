/**
 * traceparent: the strict parser of the W3C Trace Context header, level 2.
 *
 *   00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
 *   │  trace id (32)                    parent id (16)   flags: bit 0 sampled, bit 1 random
 *   version; 00 has exactly 55 characters, a later one may continue after another "-"
 *
 * Anything else — upper case, version ff, an id of zeros, two headers joined — is invalid, and a new trace begins. Linear, by
 * character codes, because no regular expression may run on client bytes.
 *
 * Spec: spec/tracing.md
 */

/** A valid traceparent. */
export interface Traceparent {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hex digits, not all zero. */
  readonly parentId: string;
  /** Only the bits that level 2 defines: {@link SAMPLED} and {@link RANDOM}. */
  readonly flags: number;
}

/** The caller recorded this trace. */
export const SAMPLED = 1;
/** The trace id's last 56 bits are random. */
export const RANDOM = 2;

const LENGTH = 55;
const DASH = 45;

/** Parses a header value, or undefined when it is invalid. */
export function parseTraceparent(value: string): Traceparent | undefined {
  const text = trimmed(value);
  if (text.length < LENGTH || !isHex(text, 0, 2) || text.charCodeAt(2) !== DASH) return undefined;
  const version = text.slice(0, 2);
  if (version === "ff" || (version === "00" && text.length !== LENGTH)) return undefined;
  if (text.length > LENGTH && text.charCodeAt(LENGTH) !== DASH) return undefined;
  if (text.charCodeAt(35) !== DASH || text.charCodeAt(52) !== DASH) return undefined;
  if (!isHex(text, 3, 35) || !isHex(text, 36, 52) || !isHex(text, 53, 55)) return undefined;
  const traceId = text.slice(3, 35);
  const parentId = text.slice(36, 52);
  if (isZero(traceId) || isZero(parentId)) return undefined;
  return { traceId, parentId, flags: Number.parseInt(text.slice(53, 55), 16) & (SAMPLED | RANDOM) };
}

/** Writes a header value, always as version 00. */
export function formatTraceparent({ traceId, parentId, flags }: Traceparent): string {
  return `00-${traceId}-${parentId}-0${flags & (SAMPLED | RANDOM)}`;
}

/** Without spaces and tabs around it. */
function trimmed(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start += 1;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end -= 1;
  return end - start === value.length ? value : value.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

function isHex(text: string, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) {
    const code = text.charCodeAt(index);
    const digit = code >= 48 && code <= 57;
    if (!digit && !(code >= 97 && code <= 102)) return false;
  }
  return true;
}

function isZero(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) !== 48) return false;
  return true;
}

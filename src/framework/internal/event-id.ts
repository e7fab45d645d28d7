/**
 * The id of the last event that a reconnecting client of Server-Sent Events has.
 *
 * Spec: spec/stream.md; WHATWG HTML §9.2.4
 */

/** `Last-Event-ID` as the event had it. Browsers send it in UTF-8 (HTML §9.2.4), and a header is read byte by byte. */
export function eventIdOf(header: string | undefined): string | undefined {
  if (header === undefined || !/[\x80-\xff]/.test(header) || /[\u0100-\uffff]/.test(header)) return header;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(header, (char) => char.charCodeAt(0)));
  } catch {
    return header;
  }
}

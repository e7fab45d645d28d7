/**
 * Values of the web platform that a handler may return, and how each is recognized.
 *
 * Spec: spec/context.md
 */
import { takeParts } from "./lazy-response.ts";

/**
 * Is `value` a web Response, of this runtime or of a library? It is recognized by its members, because Node loads its whole
 * fetch implementation, 5 MB, when `Response` is first named.
 */
export function isResponse(value: unknown): value is Response {
  if (typeof value === "object" && value !== null && takeParts in value) return true; // Reading it would make it.
  if (typeof value !== "object" || value === null || !("headers" in value && "status" in value && "body" in value))
    return false;
  const { headers, status } = value;
  if (typeof status !== "number" || typeof headers !== "object" || headers === null) return false;
  const isTagged = Object.prototype.toString.call(value) === "[object Response]";
  return Symbol.iterator in headers && (isTagged || ("arrayBuffer" in value && "bodyUsed" in value));
}

/** Are the bytes of a body in memory? */
export const isBuffer = (value: unknown): value is ArrayBuffer | ArrayBufferView<ArrayBuffer> =>
  value instanceof ArrayBuffer || ArrayBuffer.isView(value);

/** Bytes of any view. */
export const bytesOf = (value: ArrayBuffer | ArrayBufferView<ArrayBuffer>): Uint8Array =>
  value instanceof ArrayBuffer
    ? new Uint8Array(value)
    : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);

/** Is `value` a Blob, or a File? */
export const isBlob = (value: unknown): value is Blob =>
  /^\[object (?:Blob|File)\]$/.test(Object.prototype.toString.call(value)) &&
  typeof Reflect.get(Object(value), "stream") === "function";

/** A Blob as a Response: its bytes, with its type and its length. */
export const responseOf = (blob: Blob): Response =>
  new Response(blob, { headers: { "Content-Length": String(blob.size) } });

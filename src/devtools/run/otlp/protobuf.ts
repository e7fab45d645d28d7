/**
 * Decodes OTLP's protobuf form of spans to its JSON form. Pure.
 *
 *   bytes ──▶ fields by number, as the tables below name them ──▶ { resourceSpans: […] }
 *
 * A library for it is larger than all of this (protobufjs: 170 kB), and the format is frozen: unknown fields are skipped. Bytes
 * that are cut, too deep, or of a wrong wire type are an error.
 */

type Field = readonly [
  name: string,
  type: "text" | "hex" | "base64" | "int" | "bool" | "fixed64" | "double" | Table,
  isList?: "list",
];
/** The fields of a message, by their numbers. */
interface Table {
  readonly [number: number]: Field;
}

const anyValue: Record<number, Field> = {
  1: ["stringValue", "text"],
  2: ["boolValue", "bool"],
  3: ["intValue", "int"],
  4: ["doubleValue", "double"],
  7: ["bytesValue", "base64"],
};
const keyValue: Table = { 1: ["key", "text"], 2: ["value", anyValue] };
anyValue[5] = ["arrayValue", { 1: ["values", anyValue, "list"] }];
anyValue[6] = ["kvlistValue", { 1: ["values", keyValue, "list"] }];
const attributes: Field = ["attributes", keyValue, "list"];

const span: Table = {
  1: ["traceId", "hex"],
  2: ["spanId", "hex"],
  4: ["parentSpanId", "hex"],
  5: ["name", "text"],
  6: ["kind", "int"],
  7: ["startTimeUnixNano", "fixed64"],
  8: ["endTimeUnixNano", "fixed64"],
  9: attributes,
  11: ["events", { 1: ["timeUnixNano", "fixed64"], 2: ["name", "text"], 3: attributes }, "list"],
  15: ["status", { 2: ["message", "text"], 3: ["code", "int"] }],
};
const scopeSpans: Table = { 1: ["scope", { 1: ["name", "text"] }], 2: ["spans", span, "list"] };
const resourceSpans: Table = { 1: ["resource", { 1: attributes }], 2: ["scopeSpans", scopeSpans, "list"] };
const request: Table = { 1: ["resourceSpans", resourceSpans, "list"] };

/** An attribute may hold lists in lists, to this depth of messages. */
const maxDepth = 40;

/** The export in OTLP/JSON's form. @throws Error with a sentence if the bytes are none */
export function decodeSpans(bytes: Uint8Array): object {
  const decoded = new Reader(bytes).message(request, bytes.length, 0);
  return { resourceSpans: [], ...decoded };
}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  message(table: Table, end: number, depth: number): object {
    if (depth > maxDepth) throw new Error("The protobuf message is too deep.");
    const message: Record<string, unknown> = {};
    while (this.#at < end) {
      const tag = Number(this.#varint(end));
      const [number, wire] = [Math.floor(tag / 8), tag % 8];
      if (number === 0) throw new Error("The protobuf message has a field 0.");
      const field = Object.hasOwn(table, number) ? table[number] : undefined;
      if (field === undefined) this.#skip(wire, end);
      else this.#field(message, field, { wire, end, depth });
    }
    return message;
  }

  #field(
    message: Record<string, unknown>,
    [name, type, isList]: Field,
    { wire, end, depth }: { readonly wire: number; readonly end: number; readonly depth: number },
  ): void {
    const value = typeof type === "object" ? this.#inner(type, wire, end, depth) : this.#scalar(type, wire, end);
    const list = message[name];
    if (isList === undefined) message[name] = value;
    else if (Array.isArray(list)) list.push(value);
    else message[name] = [value];
  }

  #inner(table: Table, wire: number, end: number, depth: number): object {
    const size = this.#size(wire, end);
    return this.message(table, this.#at + size, depth + 1);
  }

  #scalar(type: Exclude<Field[1], Table>, wire: number, end: number): unknown {
    switch (type) {
      case "int": {
        const value = BigInt.asIntN(64, this.#varint(expected(wire, VARINT, end)));
        return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`;
      }
      case "bool":
        return this.#varint(expected(wire, VARINT, end)) !== 0n;
      case "fixed64":
        return `${this.#view.getBigUint64(this.#passed(expected(wire, FIXED64, 8), end), true)}`;
      case "double":
        return this.#view.getFloat64(this.#passed(expected(wire, FIXED64, 8), end), true);
      default: {
        const size = this.#size(wire, end);
        const bytes = this.#bytes.subarray(this.#at, (this.#at += size));
        return texts[type](bytes);
      }
    }
  }

  #skip(wire: number, end: number): void {
    if (wire === VARINT) this.#varint(end);
    else if (wire === FIXED64) this.#passed(8, end);
    else if (wire === FIXED32) this.#passed(4, end);
    else this.#passed(this.#size(wire, end), end);
  }

  /** The length of the bytes that follow, which are all there. */
  #size(wire: number, end: number): number {
    expected(wire, BYTES);
    const size = Number(this.#varint(end));
    if (size > end - this.#at) throw cut();
    return size;
  }

  /** The place of the next bytes, which it passes. */
  #passed(size: number, end: number): number {
    const at = this.#at;
    if (size > end - at) throw cut();
    this.#at += size;
    return at;
  }

  #varint(end: number): bigint {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = this.#at < end ? this.#bytes[this.#at++] : undefined;
      if (byte === undefined || shift > 63n) throw cut();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
      shift += 7n;
    }
  }
}

/** The value `then`, if the wire type is that of the field. */
function expected(wire: number, type: number, then: number = type): number {
  if (wire !== type) throw new Error("A field of the protobuf message has another type.");
  return then;
}

const cut = (): Error => new Error("The protobuf message is cut.");
const decoder = new TextDecoder();
const texts = {
  text: (bytes: Uint8Array): string => decoder.decode(bytes),
  hex: (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""),
  base64: (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")),
};

/**
 * Encodes OTLP's JSON form of a message as protobuf.
 *
 *   { traceId: "0af7…", kind: 2, … } ──▶ fields by name, as the tables below number them ──▶ bytes
 *
 * A library for it is larger than all of this (protobufjs: 170 kB), and the format only grows. Absent fields are not written.
 */
import { bytesOfBase64 } from "../../internal/base64.ts";
import type { OtlpSignal } from "./settings.ts";

/** A field: its number, its name in JSON, its type. A list of it with `list`, as one block of numbers with `packed`. */
type Field = readonly [number: number, name: string, type: Scalar | Table, many?: "list" | "packed"];
type Scalar = "text" | "hex" | "base64" | "int" | "bool" | "fixed32" | "fixed64" | "double";
/** The fields of a message. */
export type Table = readonly Field[];

/** A message in OTLP's JSON form: 64-bit numbers and times are decimal texts, ids are hex. */
export type Message = Readonly<Record<string, unknown>>;

const anyValue: Field[] = [
  [1, "stringValue", "text"],
  [2, "boolValue", "bool"],
  [3, "intValue", "int"],
  [4, "doubleValue", "double"],
  [7, "bytesValue", "base64"],
];
const keyValue: Table = [
  [1, "key", "text"],
  [2, "value", anyValue],
];
anyValue.push([5, "arrayValue", [[1, "values", anyValue, "list"]]]);
anyValue.push([6, "kvlistValue", [[1, "values", keyValue, "list"]]]);
const attributes = (number: number): Field => [number, "attributes", keyValue, "list"];
const dropped = (number: number, what: string): Field => [number, `dropped${what}Count`, "int"];

const span: Table = [
  [1, "traceId", "hex"],
  [2, "spanId", "hex"],
  [3, "traceState", "text"],
  [4, "parentSpanId", "hex"],
  [16, "flags", "fixed32"],
  [5, "name", "text"],
  [6, "kind", "int"],
  [7, "startTimeUnixNano", "fixed64"],
  [8, "endTimeUnixNano", "fixed64"],
  attributes(9),
  dropped(10, "Attributes"),
  [11, "events", [[1, "timeUnixNano", "fixed64"], [2, "name", "text"], attributes(3)], "list"],
  dropped(12, "Events"),
  [
    13,
    "links",
    [[1, "traceId", "hex"], [2, "spanId", "hex"], [3, "traceState", "text"], attributes(4), [6, "flags", "fixed32"]],
    "list",
  ],
  dropped(14, "Links"),
  [
    15,
    "status",
    [
      [2, "message", "text"],
      [3, "code", "int"],
    ],
  ],
];

const number: Field = [
  1,
  "dataPoints",
  [
    attributes(7),
    [2, "startTimeUnixNano", "fixed64"],
    [3, "timeUnixNano", "fixed64"],
    [4, "asDouble", "double"],
    [6, "asInt", "fixed64"],
  ],
  "list",
];
const distribution: Field = [
  1,
  "dataPoints",
  [
    attributes(9),
    [2, "startTimeUnixNano", "fixed64"],
    [3, "timeUnixNano", "fixed64"],
    [4, "count", "fixed64"],
    [5, "sum", "double"],
    [6, "bucketCounts", "fixed64", "packed"],
    [7, "explicitBounds", "double", "packed"],
    [11, "min", "double"],
    [12, "max", "double"],
  ],
  "list",
];
const temporality: Field = [2, "aggregationTemporality", "int"];
const metric: Table = [
  [1, "name", "text"],
  [2, "description", "text"],
  [3, "unit", "text"],
  [5, "gauge", [number]],
  [7, "sum", [number, temporality, [3, "isMonotonic", "bool"]]],
  [9, "histogram", [distribution, temporality]],
];

const logRecord: Table = [
  [1, "timeUnixNano", "fixed64"],
  [11, "observedTimeUnixNano", "fixed64"],
  [2, "severityNumber", "int"],
  [3, "severityText", "text"],
  [5, "body", anyValue],
  attributes(6),
  dropped(7, "Attributes"),
  [8, "flags", "fixed32"],
  [9, "traceId", "hex"],
  [10, "spanId", "hex"],
  [12, "eventName", "text"],
];

/** The messages that a request repeats, by signal. */
export const itemTables: Readonly<Record<OtlpSignal, Table>> = { traces: span, metrics: metric, logs: logRecord };
/** What describes the service. */
export const resourceTable: Table = [attributes(1)];
/** What names a tracer, a meter or a logger. */
export const scopeTable: Table = [
  [1, "name", "text"],
  [2, "version", "text"],
];

/** The bytes of a message. */
export const encode = (table: Table, message: Message): Uint8Array => new Writer().message(table, message).bytes();

/** A field with that number around each of these messages. */
export function wrapped(number: number, ...messages: readonly Uint8Array[]): Uint8Array {
  const writer = new Writer();
  for (const message of messages) writer.block(number, message);
  return writer.bytes();
}

const VARINT = 0;
const FIXED64 = 1;
const BLOCK = 2;
const FIXED32 = 5;

const encoder = new TextEncoder();
const fromHex = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length / 2 }, (_, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16));

class Writer {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }

  message(table: Table, message: Message): this {
    for (const [number, name, type, many] of table) {
      const value = message[name];
      if (value === undefined) continue;
      if (many === undefined) this.#field(number, type, value);
      else if (many === "list") for (const one of value as readonly unknown[]) this.#field(number, type, one);
      else this.#packed(number, type as Scalar, value as readonly unknown[]);
    }
    return this;
  }

  block(number: number, bytes: Uint8Array): void {
    this.#tag(number, BLOCK);
    this.#varint(bytes.length);
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #field(number: number, type: Scalar | Table, value: unknown): void {
    if (typeof type === "object") this.block(number, encode(type, value as Message));
    else if (type === "text") this.block(number, encoder.encode(value as string));
    else if (type === "hex") this.block(number, fromHex(value as string));
    else if (type === "base64") this.block(number, bytesOfBase64(value as string));
    else {
      this.#tag(number, type === "int" || type === "bool" ? VARINT : type === "fixed32" ? FIXED32 : FIXED64);
      this.#number(type, value);
    }
  }

  #packed(number: number, type: Scalar, values: readonly unknown[]): void {
    if (values.length === 0) return;
    this.#tag(number, BLOCK);
    this.#varint(8 * values.length);
    for (const value of values) this.#number(type, value);
  }

  #number(type: Scalar, value: unknown): void {
    this.#room(10);
    if (type === "int" || type === "bool") return this.#varint(value === true ? 1 : value === false ? 0 : value);
    if (type === "fixed32") this.#view.setUint32(this.#at, value as number, true);
    else if (type === "double") this.#view.setFloat64(this.#at, value as number, true);
    else this.#view.setBigInt64(this.#at, BigInt.asIntN(64, BigInt(value as string | number)), true);
    this.#at += type === "fixed32" ? 4 : 8;
  }

  #tag(number: number, wire: number): void {
    this.#varint(number * 8 + wire);
  }

  /** A whole number, or its decimal text. A negative one is its two's complement of 64 bits. */
  #varint(value: unknown): void {
    this.#room(10);
    let rest = Number(value);
    if (rest < 0 || !Number.isSafeInteger(rest)) return this.#bigVarint(BigInt.asUintN(64, BigInt(value as string)));
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 128;
    this.#bytes[this.#at++] = rest;
  }

  #bigVarint(value: bigint): void {
    let rest = value;
    for (; rest >= 128n; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 127n) | 128;
    this.#bytes[this.#at++] = Number(rest);
  }

  #room(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#at + more));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

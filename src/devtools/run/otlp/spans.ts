/**
 * Spans of OpenTelemetry as other services export them, in the form of OTLP/JSON. Pure.
 *
 *   { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] } ──▶ Span[], and the number of rejected ones
 *
 * What is read comes from outside, so a span without valid ids or times is rejected, and everything else is optional. Numbers
 * of 64 bits are texts in OTLP/JSON.
 */
import type { Json } from "../shapes.ts";
import { isRecord, isText, jsonOf } from "../values.ts";

/** The kinds of OTLP, by their numbers. */
export const SpanKind = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;

/** The attributes of a span, an event or a resource. */
export type Attributes = Readonly<Record<string, Json>>;

/** One span. */
export interface Span {
  /** 32 hex digits in lower case. */
  readonly traceId: string;
  /** 16 hex digits in lower case. */
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: number;
  /** Microseconds since 1970. */
  readonly startUs: number;
  readonly endUs: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly status: { readonly code: number; readonly message: string };
  /** The `service.name` of its resource. */
  readonly service: string;
  /** The name of the instrumentation. */
  readonly scope: string;
}

/** An event of a span. */
export interface SpanEvent {
  readonly name: string;
  readonly timeUs: number;
  readonly attributes: Attributes;
}

/** The spans that could be read. */
export interface ReadSpans {
  readonly spans: readonly Span[];
  readonly rejected: number;
}

const maxAttributes = 128;
const maxEvents = 128;
/** The deepest list or map in an attribute. */
const maxDepth = 8;

/** Reads an export. @throws Error with a sentence if it is none */
export function readSpans(value: unknown): ReadSpans {
  if (!isRecord(value) || !Array.isArray(value["resourceSpans"])) throw new Error("There are no resourceSpans in it.");
  const spans: Span[] = [];
  let rejected = 0;
  for (const ofResource of recordsIn(value["resourceSpans"])) {
    const { resource } = ofResource;
    const name = attributesOf(isRecord(resource) ? resource["attributes"] : undefined)["service.name"];
    const service = isText(name) && name.trim() !== "" ? name.trim().slice(0, 200) : "unknown service";
    for (const ofScope of recordsIn(ofResource["scopeSpans"])) {
      const { scope } = ofScope;
      const scopeName = textOf(isRecord(scope) ? scope["name"] : undefined);
      for (const given of listOf(ofScope["spans"])) {
        const span = isRecord(given) ? spanOf(given, service, scopeName) : undefined;
        if (span === undefined) rejected += 1;
        else spans.push(span);
      }
    }
  }
  return { spans, rejected };
}

/** Reads a file: one export, or one on each line, as the collector writes it. @throws Error with a sentence */
export function readSpanFile(text: string): ReadSpans {
  const whole = jsonOf(text);
  if (whole !== undefined) return readSpans(whole);
  const read = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line, at) => {
      const value = jsonOf(line);
      if (value === undefined) throw new Error(`Line ${at + 1} is not JSON.`);
      return readSpans(value);
    });
  if (read.length === 0) throw new Error("The file is empty.");
  return { spans: read.flatMap(({ spans }) => spans), rejected: read.reduce((sum, one) => sum + one.rejected, 0) };
}

function spanOf(given: Readonly<Record<string, unknown>>, service: string, scope: string): Span | undefined {
  const [traceId, spanId] = [idOf(given["traceId"], 32), idOf(given["spanId"], 16)];
  const [startUs, endUs] = [microsecondsOf(given["startTimeUnixNano"]), microsecondsOf(given["endTimeUnixNano"])];
  if (traceId === undefined || spanId === undefined || startUs === undefined || endUs === undefined) return undefined;
  const status = isRecord(given["status"]) ? given["status"] : {};
  return {
    traceId,
    spanId,
    parentSpanId: idOf(given["parentSpanId"], 16) ?? null,
    name: textOf(given["name"]),
    kind: numberOf(given["kind"], ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"]),
    startUs,
    endUs: Math.max(startUs, endUs),
    attributes: attributesOf(given["attributes"]),
    events: recordsIn(given["events"])
      .slice(0, maxEvents)
      .map((event) => ({
        name: textOf(event["name"]),
        timeUs: microsecondsOf(event["timeUnixNano"]) ?? startUs,
        attributes: attributesOf(event["attributes"]),
      })),
    status: { code: numberOf(status["code"], ["UNSET", "OK", "ERROR"]), message: textOf(status["message"]) },
    service,
    scope,
  };
}

/** An id in hex, not all zeros. */
function idOf(value: unknown, digits: number): string | undefined {
  if (!isText(value) || value.length !== digits) return undefined;
  const id = value.toLowerCase();
  return /^[0-9a-f]+$/.test(id) && !/^0+$/.test(id) ? id : undefined;
}

/** Microseconds of a number of nanoseconds, which may be a text. */
function microsecondsOf(value: unknown): number | undefined {
  if (isText(value) && /^\d{1,20}$/.test(value)) return Number(BigInt(value) / 1_000n);
  return typeof value === "number" && value >= 0 && Number.isFinite(value) ? Math.floor(value / 1_000) : undefined;
}

/** An enum, by number or by the end of its name. */
function numberOf(value: unknown, names: readonly string[]): number {
  if (typeof value === "number") return Number.isInteger(value) && value >= 0 && value < names.length ? value : 0;
  return isText(value) ? Math.max(0, names.indexOf(value.replace(/^(?:SPAN_KIND|STATUS_CODE)_/, ""))) : 0;
}

function attributesOf(value: unknown): Attributes {
  const pairs = recordsIn(value)
    .slice(0, maxAttributes)
    .flatMap(({ key, value: given }) => (isText(key) && key !== "" ? [[key, valueOf(given, 0)] as const] : []));
  return Object.fromEntries(pairs);
}

/** An AnyValue as JSON. */
function valueOf(given: unknown, depth: number): Json {
  if (!isRecord(given) || depth > maxDepth) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = given;
  if (isText(stringValue)) return stringValue;
  if (typeof boolValue === "boolean") return boolValue;
  if (intValue !== undefined) return Number.isSafeInteger(Number(intValue)) ? Number(intValue) : textOf(intValue);
  if (doubleValue !== undefined) return Number.isFinite(doubleValue) ? Number(doubleValue) : String(doubleValue);
  if (isRecord(arrayValue)) return listOf(arrayValue["values"]).map((one) => valueOf(one, depth + 1));
  if (isRecord(kvlistValue))
    return Object.fromEntries(
      recordsIn(kvlistValue["values"]).map((one) => [textOf(one["key"]), valueOf(one["value"], depth + 1)]),
    );
  return isText(bytesValue) ? { $bytes: Math.floor((bytesValue.replace(/={1,2}$/, "").length * 3) / 4) } : null;
}

const textOf = (value: unknown): string => (isText(value) ? value : "");
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const recordsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] => listOf(value).filter(isRecord);

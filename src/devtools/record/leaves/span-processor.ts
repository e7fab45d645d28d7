/**
 * Spans of OpenTelemetry as leaves, from any instrumentation.
 *
 *   tracer.startSpan ──▶ onStart: begin, under the call that is running ──▶ span.end ──▶ onEnd: what its attributes say
 *
 *   db.* ──▶ sql, cache      messaging.* ──▶ message      anything else ──▶ span      kind SERVER ──▶ none: the run itself
 *
 * An object of the shape that the SDK takes, without an import of OpenTelemetry.
 *
 * Spec: spec/leaves.md
 */
import type { LeafKind } from "../../run/shapes.ts";
import { privateSlot } from "../private-slot.ts";
import type { Description } from "./descriptions.ts";
import type { Leaves, OpenLeaf } from "./leaves.ts";

/** A SpanProcessor of OpenTelemetry's SDK. */
export interface LeafSpanProcessor {
  onStart(span: object, parentContext: unknown): void;
  onEnd(span: object): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

/** The members of a span that are read; in SDK 1 the parent is `parentSpanId`. */
interface Span {
  readonly name?: unknown;
  readonly kind?: unknown;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  readonly status?: { readonly code?: unknown; readonly message?: unknown } | undefined;
  readonly events?: readonly { readonly name?: unknown; readonly attributes?: Readonly<Record<string, unknown>> }[];
  readonly parentSpanContext?: { readonly spanId?: unknown } | undefined;
  readonly parentSpanId?: unknown;
  spanContext?(): { readonly spanId?: unknown };
}

/** The name of this source in a fault. */
const source = "a span of OpenTelemetry";
/** The span kind of the run itself. */
const SERVER = 1;
const statuses: readonly unknown[] = ["UNSET", "OK", "ERROR"];
const caches: ReadonlySet<unknown> = new Set(["redis", "memcached", "valkey"]);

/** A processor that does nothing, for devtools that are off. */
export const noSpans: LeafSpanProcessor = {
  onStart: () => undefined,
  onEnd: () => undefined,
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

/** A processor that records leaves. */
export function spanProcessor(leaves: Leaves): LeafSpanProcessor {
  const open = privateSlot<OpenLeaf | undefined>();
  return {
    ...noSpans,
    onStart(span) {
      const leaf = leaves.begin(source, "span", () => ((span as Span).kind === SERVER ? undefined : begun(span)));
      if (leaf !== undefined) open.set(span, leaf);
    },
    onEnd(span) {
      const leaf = open.get(span);
      if (leaf === undefined) return;
      open.set(span, undefined);
      const { kind, description } = leaves.attempt(source, () => classified(span as Span)) ?? {
        kind: "span",
        description: {},
      };
      if (kind !== "span") leaves.become(leaf, kind, () => description);
      leaves.end(leaf, () => description);
    },
  };
}

const begun = (span: Span): Description => ({
  name: span.name,
  spanId: span.spanContext?.().spanId,
  parentSpanId: span.parentSpanContext?.spanId ?? span.parentSpanId,
});

/** The kind of a span by its attributes, in the stable names and in those before. */
function classified(span: Span): { readonly kind: LeafKind; readonly description: Description } {
  const { attributes = {}, name } = span;
  const error = errorOf(span);
  const failed = error === undefined ? {} : { error };
  const of = (...names: readonly string[]): unknown =>
    names.map((key) => attributes[key]).find((value) => value !== undefined);
  const system = of("db.system.name", "db.system");
  const statement = of("db.query.text", "db.statement");
  if (caches.has(system)) return { kind: "cache", description: { system, ...commandOf(statement, of), ...failed } };
  if (system !== undefined && typeof statement === "string")
    return {
      kind: "sql",
      description: { system, statement, ...parametersOf(attributes), rows: of("db.response.returned_rows"), ...failed },
    };
  const messaging = of("messaging.system");
  if (messaging !== undefined) {
    const operation = of("messaging.operation.type", "messaging.operation.name", "messaging.operation");
    const destination = of("messaging.destination.name", "messaging.destination");
    return { kind: "message", description: { system: messaging, operation, destination, ...failed } };
  }
  return { kind: "span", description: { name, attributes, status: statuses[Number(span.status?.code)], ...failed } };
}

/** `GET key …`, as instrumentations write a cache command. */
function commandOf(statement: unknown, of: (...names: string[]) => unknown): Description {
  const [command = "", key = "", ...args] = typeof statement === "string" ? statement.slice(0, 4_096).split(" ") : [];
  return { command: of("db.operation.name", "db.operation") ?? command, key, args };
}

/** `db.query.parameter.0`, or the list that the instrumentation of pg writes on request. */
function parametersOf(attributes: Readonly<Record<string, unknown>>): Description {
  const listed = attributes["db.postgresql.values"];
  if (Array.isArray(listed)) return { parameters: listed };
  const named = Object.entries(attributes).filter(([name]) => name.startsWith("db.query.parameter."));
  return named.length === 0 ? {} : { parameters: named.map(([, value]) => value) };
}

/** The error of a span, from its exception or the message of its status. */
function errorOf({ status, events = [] }: Span): Error | undefined {
  if (status?.code !== statuses.indexOf("ERROR")) return undefined;
  const exception = events.find(({ name }) => name === "exception")?.attributes ?? {};
  const message = exception["exception.message"] ?? status.message;
  const error = new Error(typeof message === "string" ? message : "");
  const type = exception["exception.type"];
  if (typeof type === "string") error.name = type;
  return error;
}

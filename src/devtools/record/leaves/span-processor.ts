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
import { classified } from "../../run/otlp/classified.ts";
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
      const { kind, description } = leaves.attempt(source, () => whole(span as Span)) ?? {
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

/** The kind of a span by its attributes, and its description with its error. */
function whole(span: Span): { readonly kind: LeafKind; readonly description: Description } {
  const { attributes = {}, name } = span;
  const { kind, description } = classified(attributes);
  const error = errorOf(span);
  const failed = error === undefined ? {} : { error };
  const own = kind === "span" ? { name, attributes, status: statuses[Number(span.status?.code)] } : {};
  return { kind, description: { ...description, ...own, ...failed } };
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

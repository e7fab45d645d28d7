/**
 * A run as OTLP/JSON, for any tool that reads OpenTelemetry. Pure.
 *
 *   the run ──▶ a SERVER span · a call ──▶ INTERNAL · a leaf ──▶ CLIENT, PRODUCER, or an event for a log line
 *
 * A run that continued a trace is in that trace. All other ids come from the run's own key, so that exporting twice gives the same
 * spans. Calls and leaves of other services are spans of these.
 */
import { traceKey } from "../format.ts";
import type { Call, ErrorInfo, Json, Leaf, LeafError, Trace } from "../shapes.ts";
import { groupBy } from "../values.ts";
import { readTraceparent } from "./reference.ts";
import { SpanKind } from "./spans.ts";

type Attribute = { readonly key: string; readonly value: object };
type Values = Readonly<Record<string, Json | undefined>>;

/** How a run is exported. */
export interface ExportOptions {
  /** The name of the application. */
  readonly name: string;
  /** The service of a bean that is not the application's own. */
  serviceOf?(bean: string): string | undefined;
}

/** The run as an ExportTraceServiceRequest in JSON. */
export function otlpText(trace: Trace, options: ExportOptions): string {
  const spans = new Writer(trace, options).spans();
  const byService = groupBy(spans, ({ service }) => service);
  const resourceSpans = Array.from(byService, ([service, own]) => ({
    resource: { attributes: attributesOf({ "service.name": service }) },
    scopeSpans: [{ scope: { name: "framework.devtools" }, spans: own.map(({ span }) => span) }],
  }));
  return `${JSON.stringify({ resourceSpans })}\n`;
}

interface Written {
  readonly service: string;
  readonly span: object;
}

class Writer {
  readonly #trace: Trace;
  readonly #options: ExportOptions;
  readonly #traceId: string;
  readonly #parent: string | undefined;
  readonly #key: string;
  readonly #calls: ReadonlyMap<number, Call>;

  constructor(trace: Trace, options: ExportOptions) {
    this.#trace = trace;
    this.#options = options;
    this.#key = traceKey(trace);
    const continued = readTraceparent(trace.request.headers["traceparent"]?.[0] ?? "");
    this.#traceId = continued?.traceId ?? hexOf(`${this.#key} trace`, 4);
    this.#parent = continued?.spanId;
    this.#calls = new Map(trace.calls.map((call) => [call.id, call]));
  }

  spans(): readonly Written[] {
    const { calls, leaves } = this.#trace;
    return [
      this.#root(),
      ...calls.map((call) => this.#call(call)),
      ...leaves.flatMap((leaf) => (leaf.kind === "log" ? [] : [this.#leaf(leaf)])),
    ];
  }

  #id = (what: string): string => hexOf(`${this.#key} ${what}`, 2);
  #of = (parentId: number | null): string => this.#id(parentId === null ? "run" : `call ${parentId}`);
  #service = (bean: string | undefined): string =>
    (bean === undefined ? undefined : this.#options.serviceOf?.(bean)) ?? this.#options.name;

  #root(): Written {
    const { method, path, route, status, durationUs, error, kind } = this.#trace;
    const isRequest = kind === undefined;
    return {
      service: this.#options.name,
      span: {
        ...this.#base("run", this.#parent, 0, durationUs, error ?? (status >= 500 ? { name: "", message: "" } : null)),
        name: `${method} ${route ?? path}`,
        kind: isRequest ? SpanKind.server : SpanKind.internal,
        attributes: attributesOf(
          isRequest
            ? {
                "http.request.method": method,
                "url.path": path,
                "http.route": route ?? undefined,
                "http.response.status_code": status,
              }
            : {},
        ),
        events: this.#events(null, error),
      },
    };
  }

  #call(call: Call): Written {
    const { id, parentId, method, args, result, startUs, durationUs, error } = call;
    const service = this.#service(call.bean);
    const parent = parentId === null ? undefined : this.#calls.get(parentId)?.bean;
    const bean = call.bean.startsWith(`${service} › `) ? call.bean.slice(service.length + 3) : call.bean;
    return {
      service,
      span: {
        ...this.#base(`call ${id}`, this.#of(parentId), startUs, durationUs, error),
        name: `${bean}.${method}`,
        // The first call in another service is the request that it received.
        kind: service === this.#service(parent) ? SpanKind.internal : SpanKind.server,
        attributes: attributesOf({
          "code.function.name": `${bean}.${method}`,
          "framework.arguments": args.length === 0 ? undefined : JSON.stringify(args),
          "framework.result": error === null && durationUs !== null ? JSON.stringify(result) : undefined,
        }),
        events: this.#events(id, error),
      },
    };
  }

  #leaf(leaf: Exclude<Leaf, { readonly kind: "log" }>): Written {
    const { id, parentId, startUs, durationUs, error, name } = leaf;
    const bean = parentId === null ? undefined : this.#calls.get(parentId)?.bean;
    return {
      service: this.#service(bean),
      span: {
        ...this.#base(`leaf ${id}`, this.#of(parentId), startUs, durationUs, error),
        name: name === "" ? leaf.kind : name,
        kind: leaf.kind === "message" ? SpanKind.producer : leaf.kind === "span" ? SpanKind.internal : SpanKind.client,
        attributes: attributesOf(valuesOf(leaf)),
        events: error === null ? [] : [this.#exception(error, startUs + (durationUs ?? 0))],
      },
    };
  }

  #base(
    id: string,
    parent: string | undefined,
    startUs: number,
    durationUs: number | null,
    error: LeafError | null,
  ): object {
    const end = durationUs === null ? this.#trace.durationUs : startUs + durationUs;
    return {
      traceId: this.#traceId,
      spanId: this.#id(id),
      ...(parent === undefined ? {} : { parentSpanId: parent }),
      startTimeUnixNano: this.#at(startUs),
      endTimeUnixNano: this.#at(Math.max(startUs, end)),
      status: error === null ? {} : { code: 2, message: error.message },
    };
  }

  /** The lines of the log below a call, and its error. */
  #events(parentId: number | null, error: ErrorInfo | null): readonly object[] {
    const lines = this.#trace.leaves.flatMap((leaf) =>
      leaf.kind === "log" && leaf.parentId === parentId
        ? [
            {
              timeUnixNano: this.#at(leaf.startUs),
              name: leaf.detail.message,
              attributes: attributesOf({ ...leaf.detail.fields, "log.level": leaf.detail.level }),
            },
          ]
        : [],
    );
    return error === null ? lines : [...lines, this.#exception(error, this.#trace.durationUs)];
  }

  #exception({ name, message }: LeafError, atUs: number): object {
    const attributes = attributesOf({ "exception.type": name, "exception.message": message });
    return { timeUnixNano: this.#at(atUs), name: "exception", attributes };
  }

  #at = (us: number): string =>
    `${BigInt(Math.round(this.#trace.startedAt)) * 1_000_000n + BigInt(Math.round(us)) * 1_000n}`;
}

function valuesOf(leaf: Exclude<Leaf, { readonly kind: "log" }>): Values {
  switch (leaf.kind) {
    case "sql": {
      const { system, statement, parameters, rows } = leaf.detail;
      const named = parameters.map((value, at): [string, Json] => [`db.query.parameter.${at}`, value]);
      return {
        "db.system.name": system || "other_sql",
        "db.query.text": statement,
        ...Object.fromEntries(named),
        "db.response.returned_rows": rows ?? undefined,
      };
    }
    case "http": {
      const { method, url, status } = leaf.detail;
      return { "http.request.method": method, "url.full": url, "http.response.status_code": status ?? undefined };
    }
    case "cache": {
      const { system, command, key, args } = leaf.detail;
      const words = [command, key, ...args].map((word) => (typeof word === "string" ? word : JSON.stringify(word)));
      return { "db.system.name": system || "redis", "db.operation.name": command, "db.query.text": words.join(" ") };
    }
    case "message": {
      const { system, operation, destination } = leaf.detail;
      return {
        "messaging.system": system || "other",
        "messaging.operation.type": operation,
        "messaging.destination.name": destination,
      };
    }
    case "span":
      return leaf.detail.attributes;
  }
}

const attributesOf = (values: Values): Attribute[] =>
  Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: anyValue(value) }]));

/** JSON as an AnyValue. */
function anyValue(value: Json): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isSafeInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
  if (value === null) return {};
  if (Array.isArray(value)) return { arrayValue: { values: (value as readonly Json[]).map(anyValue) } };
  return { kvlistValue: { values: attributesOf(value as Values) } };
}

/** So many times 8 hex digits from a text, by FNV-1a. The first digit is not 0. */
function hexOf(text: string, words: number): string {
  const parts = Array.from({ length: words }, (_, word) => {
    let hash = 0x811c9dc5 ^ word;
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
    // The last bits of FNV depend on few of the text's, so they are mixed again.
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
    return (hash ^ (hash >>> 12)) >>> 0;
  });
  const hex = parts.map((part) => part.toString(16).padStart(8, "0")).join("");
  return hex.replace(/^0/, "1");
}

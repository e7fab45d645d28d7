/**
 * The spans of one service in one trace as a run of it, with a graph. Pure.
 *
 *   its SERVER span ──▶ the run, and a controller with the name of the service
 *   an INTERNAL one ──▶ a call of a bean: `code.function.name`, else the name of the instrumentation
 *   a CLIENT one    ──▶ a leaf: statement, command, message, request · an event ──▶ a log line
 *   a SERVER span of another service below ──▶ a reference to the run there
 *
 * Spec: spec/services.ts
 */
import type { BeanNode, Call, Json, Leaf, LeafError, RunReference, ServiceRun, Trace } from "../shapes.ts";
import { isText } from "../values.ts";
import { attribute, classified } from "./classified.ts";
import { spanReference } from "./reference.ts";
import type { SpanTree } from "./span-tree.ts";
import { type Attributes, type Span, SpanKind } from "./spans.ts";

/** Shows the values of spans without their secrets. */
export interface ShownValues {
  text(text: string): string;
  value(value: Json): Json;
}

/** The most calls and leaves of a run; the others are counted. */
const maxCalls = 500;
const maxLeaves = 500;
const ERROR = 2;

/** The run that begins with this span. */
export function serviceRun(tree: SpanTree, root: Span, shown: ShownValues): ServiceRun {
  const made = new Making(tree, root, shown);
  return { name: root.service, trace: made.trace(), graph: made.graph() };
}

class Making {
  readonly #tree: SpanTree;
  readonly #root: Span;
  readonly #shown: ShownValues;
  readonly #calls: Call[] = [];
  readonly #leaves: Leaf[] = [];
  readonly #beans = new Map<string, { readonly isRoot: boolean; readonly uses: Set<string> }>();
  readonly #seen = new Set<Span>();
  #droppedCalls = 0;
  #droppedLeaves = 0;

  constructor(tree: SpanTree, root: Span, shown: ShownValues) {
    this.#tree = tree;
    this.#root = root;
    this.#shown = shown;
    this.#walk();
  }

  /** Each span once, whatever its parents say; without recursion, since a chain may be as long as the export. */
  #walk(): void {
    const open: { readonly span: Span; readonly parent: Call | undefined }[] = [
      { span: this.#root, parent: undefined },
    ];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { span, parent } = next;
      if (this.#seen.has(span)) continue;
      this.#seen.add(span);
      const inner = this.#add(span, parent);
      for (const child of this.#tree.inside(span).toReversed()) open.push({ span: child, parent: inner });
    }
  }

  /** Adds a span. Returns the call to which its children belong. */
  #add(span: Span, parent: Call | undefined): Call | undefined {
    const isSent = span.kind === SpanKind.client || span.kind === SpanKind.producer;
    const { kind, description } = classified(span.attributes);
    // In a cycle, the run would lead to itself.
    const entered = this.#tree.entered(span).filter((child) => !this.#seen.has(child));
    if (span !== this.#root && (isSent || kind !== "span")) {
      const [first, ...more] = entered;
      const sent = isText(attribute(span.attributes, "http.request.method", "http.method", "url.full", "http.url"));
      if (first !== undefined || sent) this.#leaf(span, parent, this.#request(span, first, 1));
      else this.#leaf(span, parent, this.#detail(span, kind, description));
      more.forEach((child, at) => this.#leaf(child, parent, this.#request(child, child, at + 2, span)));
      return parent;
    }
    const call = this.#call(span, parent) ?? parent;
    entered.forEach((child, at) => this.#leaf(child, call, this.#request(child, child, at + 1, span)));
    for (const { name, timeUs, attributes } of span.events)
      if (name !== "exception")
        this.#leaf({ ...span, startUs: timeUs, endUs: timeUs, status: { code: 0, message: "" } }, call, {
          kind: "log",
          name: "info",
          detail: { level: "info", message: this.#shown.text(name), fields: this.#object(attributes) },
        });
    return call;
  }

  #call(span: Span, parent: Call | undefined): Call | undefined {
    if (this.#calls.length >= maxCalls) {
      this.#droppedCalls += 1;
      return undefined;
    }
    const isRoot = span === this.#root;
    const { bean, method } = isRoot ? { bean: span.service, method: span.name } : placeOf(span);
    if (!this.#beans.has(bean)) this.#beans.set(bean, { isRoot, uses: new Set() });
    if (parent !== undefined && parent.bean !== bean) this.#beans.get(parent.bean)?.uses.add(bean);
    const call: Call = {
      id: this.#calls.length,
      parentId: parent?.id ?? null,
      depth: parent === undefined ? 0 : parent.depth + 1,
      bean,
      declaredBy: bean,
      stereotype: this.#beans.get(bean)?.isRoot === true ? "controller" : "service",
      method: this.#shown.text(method),
      args: Object.keys(span.attributes).length === 0 ? [] : [this.#object(span.attributes)],
      params: Object.keys(span.attributes).length === 0 ? [] : ["attributes"],
      result: null,
      error: this.#error(span),
      ...this.#times(span),
      async: true,
    };
    this.#calls.push(call);
    return call;
  }

  #leaf(span: Span, parent: Call | undefined, made: Pick<Leaf, "kind" | "name" | "detail">): void {
    if (this.#leaves.length >= maxLeaves) {
      this.#droppedLeaves += 1;
      return;
    }
    const [id, parentId] = [this.#leaves.length, parent?.id ?? null];
    this.#leaves.push({ id, parentId, ...made, error: this.#error(span), ...this.#times(span) } as Leaf);
  }

  /** A request, and the run that it led to. @param sender the span that sent it, if that is not the span itself */
  #request(
    span: Span,
    entry: Span | undefined,
    n: number,
    sender: Span = span,
  ): Pick<Leaf, "kind" | "name" | "detail"> {
    const of = (...names: string[]): string => String(attribute(span.attributes, ...names) ?? "");
    const method = of("http.request.method", "http.method") || "CALL";
    const url =
      of("url.full", "http.url") || `http://${entry === undefined ? "" : hostOf(entry.service)}${pathOf(span)}`;
    const status = Number(of("http.response.status_code", "http.status_code"));
    const run: RunReference | null =
      entry === undefined
        ? null
        : {
            origin: `http://${hostOf(entry.service)}`,
            id: spanReference({ traceId: span.traceId, spanId: sender.spanId, n }),
          };
    return {
      kind: "http",
      name: this.#shown.text(`${method} ${URL.canParse(url) ? new URL(url).host : ""}`.trim()),
      detail: {
        method,
        url: this.#shown.text(url),
        status: status >= 100 && status <= 599 ? status : null,
        requestHeaders: {},
        responseHeaders: {},
        run,
      },
    };
  }

  #detail(
    span: Span,
    kind: ReturnType<typeof classified>["kind"],
    given: Readonly<Record<string, unknown>>,
  ): Pick<Leaf, "kind" | "name" | "detail"> {
    const text = (name: string): string => this.#shown.text(isText(given[name]) ? given[name] : "");
    const list = (name: string): Json[] => {
      const shown = this.#shown.value((Array.isArray(given[name]) ? given[name] : []) as Json);
      return Array.isArray(shown) ? (shown as Json[]) : [shown];
    };
    const { rows } = given;
    switch (kind) {
      case "sql": {
        const name = /^[\s(]*([A-Za-z]{1,32})/.exec(text("statement"))?.[1]?.toUpperCase() ?? "";
        const count = Number.isSafeInteger(rows) && Number(rows) >= 0 ? Number(rows) : null;
        const detail = {
          system: text("system"),
          statement: text("statement"),
          parameters: list("parameters"),
          rows: count,
        };
        return { kind, name, detail };
      }
      case "cache": {
        const command = text("command").toUpperCase();
        return {
          kind,
          name: command,
          detail: { system: text("system"), command, key: text("key"), args: list("args"), hit: null },
        };
      }
      case "message": {
        const operation = text("operation");
        return {
          kind,
          name: operation,
          detail: { system: text("system"), operation, destination: text("destination"), body: null },
        };
      }
      case "span": {
        const status = (["UNSET", "OK", "ERROR"] as const)[span.status.code] ?? "UNSET";
        const { spanId, parentSpanId } = span;
        const detail = { attributes: this.#object(span.attributes), status, spanId, parentSpanId };
        return { kind, name: this.#shown.text(span.name), detail };
      }
    }
  }

  #object(attributes: Attributes): Attributes {
    const shown = this.#shown.value(attributes);
    return typeof shown === "object" && shown !== null && !Array.isArray(shown)
      ? (shown as Attributes)
      : { value: shown };
  }

  #error({ status, events }: Span): LeafError | null {
    if (status.code !== ERROR) return null;
    const exception = events.find(({ name }) => name === "exception")?.attributes ?? {};
    const [type, message] = [exception["exception.type"], exception["exception.message"]];
    return {
      name: isText(type) && type !== "" ? type : "Error",
      message: this.#shown.text(isText(message) ? message : status.message),
    };
  }

  #times({ startUs, endUs }: Span): { readonly startUs: number; readonly durationUs: number } {
    return { startUs: Math.max(0, startUs - this.#root.startUs), durationUs: endUs - startUs };
  }

  trace(): Trace {
    const { traceId, spanId, attributes, startUs, endUs, name } = this.#root;
    const of = (...names: string[]): string => String(attribute(attributes, ...names) ?? "");
    const status = Number(of("http.response.status_code", "http.status_code"));
    const route = of("http.route");
    const error = this.#error(this.#root);
    return {
      instance: `${traceId}-${spanId}`,
      id: traceId,
      sequence: 1,
      correlationId: null,
      method: of("http.request.method", "http.method", "rpc.system") || "RUN",
      path: this.#shown.text(pathOf(this.#root) || name),
      route: route.startsWith("/") ? route : null,
      status: status >= 101 && status <= 599 ? status : error === null ? 200 : 500,
      startedAt: Math.floor(startUs / 1_000),
      durationUs: endUs - startUs,
      aborted: false,
      request: { pathParams: {}, query: {}, headers: {}, body: null },
      response: { headers: {}, body: null, bytes: 0 },
      ...inOrder(this.#calls, this.#leaves),
      droppedCalls: this.#droppedCalls,
      droppedLeaves: this.#droppedLeaves,
      error,
    };
  }

  graph(): ServiceRun["graph"] {
    const beans = [...this.#beans];
    const nodes: BeanNode[] = beans.map(([id, { isRoot, uses }]) => ({
      id,
      name: id,
      stereotype: isRoot ? "controller" : "service",
      implementation: "",
      traceable: true,
      dependencies: [...uses],
    }));
    const edges = beans.flatMap(([from, { uses }]) => Array.from(uses, (to) => ({ from, to })));
    return { nodes, edges, unspied: [] };
  }
}

/** Calls and leaves with ids in the order of their starts. */
function inOrder(calls: readonly Call[], leaves: readonly Leaf[]): Pick<Trace, "calls" | "leaves"> {
  const sorted = calls.toSorted((a, b) => a.startUs - b.startUs);
  const ids = new Map(sorted.map((call, id) => [call.id, id]));
  const parentId = ({ parentId: id }: Call | Leaf): number | null => (id === null ? null : (ids.get(id) ?? null));
  return {
    calls: sorted.map((call, id) => ({ ...call, id, parentId: parentId(call) })),
    leaves: leaves
      .toSorted((a, b) => a.startUs - b.startUs)
      .map((leaf, id) => ({ ...leaf, id, parentId: parentId(leaf) })),
  };
}

/** The bean and the method of an inner span. */
function placeOf({ attributes, scope, service, name }: Span): { readonly bean: string; readonly method: string } {
  const whole = attribute(attributes, "code.function.name", "code.function");
  const namespace = attribute(attributes, "code.namespace");
  const parts = isText(whole) ? whole.split(/[.#]|::/) : [];
  const method = parts.at(-1) ?? name;
  const bean = isText(namespace) ? namespace.split(/[./\\]|::/).at(-1) : parts.at(-2);
  const instrumentation = scope.split(/[./]/).at(-1);
  return { bean: bean || instrumentation || service, method: method || name };
}

/** The path of the request that a span received or sent. */
function pathOf({ attributes }: Span): string {
  const path = attribute(attributes, "url.path", "http.target", "http.route");
  return isText(path) ? (path.split("?", 1)[0] ?? "") : "";
}

/** The name of a service in an origin. */
const hostOf = (service: string): string => encodeURIComponent(service.toLowerCase().replaceAll(/\s+/g, "-"));

/**
 * The spans of one trace as a tree, whatever was sent: spans that arrive twice, ids that collide, cycles. Pure.
 */
import { groupBy } from "../values.ts";
import { attribute } from "./classified.ts";
import { type Span, SpanKind } from "./spans.ts";

/** The spans of one trace. */
export class SpanTree {
  readonly #children: ReadonlyMap<string, readonly Span[]>;
  readonly #byId: ReadonlyMap<string, readonly Span[]>;

  constructor(spans: readonly Span[]) {
    const inOrder = spans.toSorted((a, b) => a.startUs - b.startUs);
    this.#byId = groupBy(inOrder, ({ spanId }) => spanId);
    this.#children = groupBy(
      inOrder.filter(({ parentSpanId }) => parentSpanId !== null),
      ({ parentSpanId }) => parentSpanId ?? "",
    );
  }

  /** The spans below a span in its own service. */
  inside(span: Span): readonly Span[] {
    return this.#below(span).filter((child) => child.service === span.service && !isEntry(child));
  }

  /** The spans in which other services received what this span sent. */
  entered(span: Span): readonly Span[] {
    return this.#below(span).filter((child) => child.service !== span.service || isEntry(child));
  }

  /** The span in which a service received the nth request that was sent with this span, whether that is here or not. */
  entry(spanId: string, n: number, port: string): Span | undefined {
    const senders = this.#byId.get(spanId) ?? [];
    const isReceived = (child: Span): boolean =>
      isEntry(child) || (senders.length > 0 && senders.every(({ service }) => service !== child.service));
    return (this.#children.get(spanId) ?? [])
      .filter((child) => isReceived(child) && (port === "" || (portOf(child) ?? port) === port))
      .at(n - 1);
  }

  /** The spans whose parent is not among them. */
  get roots(): readonly Span[] {
    return [...this.#byId.values()]
      .flat()
      .filter(({ parentSpanId }) => parentSpanId === null || !this.#byId.has(parentSpanId));
  }

  /** Of two services that use one id, each has the spans that name its own service. */
  #below(span: Span): readonly Span[] {
    const all = this.#children.get(span.spanId) ?? [];
    const others = (this.#byId.get(span.spanId) ?? []).filter((one) => one.service !== span.service);
    return others.length === 0 ? all : all.filter((child) => !others.some(({ service }) => service === child.service));
  }
}

/** Whether a service received something in this span. */
const isEntry = ({ kind }: Span): boolean => kind === SpanKind.server || kind === SpanKind.consumer;

function portOf({ attributes }: Span): string | undefined {
  const port = attribute(attributes, "server.port", "net.host.port");
  return port === undefined ? undefined : String(port);
}

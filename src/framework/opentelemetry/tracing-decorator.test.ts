/** The spans of bean calls. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { context, SpanKind, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { Framework } from "../app/framework.ts";
import { Beans } from "../beans/beans.ts";
import { Interface } from "../beans/interface.ts";
import { NotFoundError } from "../internal/errors.ts";
import { TracingDecorator } from "./tracing-decorator.ts";
import { TracingMiddleware } from "./tracing.ts";

interface Orders {
  find(id: string): Promise<string>;
  count(): number;
  same(): this;
  lazy(): PromiseLike<number>;
}
const Orders: Interface<Orders> = Interface("Orders");
interface Stock {
  of(id: string): Promise<number>;
}
const Stock: Interface<Stock> = Interface("Stock");
class Plain {
  find(): string {
    return "plain";
  }
}

/** A query that only runs when it is awaited, like those of some drivers. */
class Query extends Promise<number> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }
  runs = 0;
  override then<A = number, B = never>(...given: Parameters<Promise<number>["then"]>): Promise<A | B> {
    this.runs += 1;
    return super.then(...given) as Promise<A | B>;
  }
}

class OwnOrders implements Orders {
  readonly #stock: Stock;
  readonly #base = 7;
  constructor(stock: Stock) {
    this.#stock = stock;
  }
  async find(id: string): Promise<string> {
    if (id === "none") throw new NotFoundError("no such order");
    return `${id}: ${await this.#stock.of(id)}`;
  }
  count(): number {
    return this.#base;
  }
  same(): this {
    return this;
  }
  lazy(): Query {
    return new Query((resolve) => resolve(this.#base));
  }
}

const kinds = { on: new AlwaysOnSampler(), off: new AlwaysOffSampler() };

/** An app with such beans, whose responses are `run`. Resolves to its spans. */
async function spansOf(
  run: (beans: { orders: Orders; plain: Plain }) => unknown,
  sampler: keyof typeof kinds = "on",
  change: (tracer: Tracer) => Tracer = (tracer) => tracer,
) {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  const tracer = new BasicTracerProvider({ sampler: kinds[sampler], spanProcessors }).getTracer("test");
  // Its own sampler would record each call.
  const ofBeans = new BasicTracerProvider({ sampler: kinds.on, spanProcessors }).getTracer("test");
  const decorator = new TracingDecorator(change(ofBeans));
  const beans = Beans.builder()
    .instrument(decorator)
    .bind(Orders, (b) => new OwnOrders(b.get(Stock)))
    .bind(Stock, () => ({ of: async (id) => (id === "boom" ? Promise.reject(new RangeError("no stock")) : 3) }))
    .bind(Plain, () => new Plain())
    .start();
  const app = Framework.create({ logger: { warn: () => undefined, error: () => undefined } });
  app.beans(beans).use(new TracingMiddleware(tracer));
  app.get("/", () => run({ orders: beans.get(Orders), plain: beans.get(Plain) }));
  const response = await app.request("/");
  const text = await response.text();
  await app.stop();
  await beans.close();
  const all = exporter.getFinishedSpans();
  const nameOf = (id: string | undefined): string | undefined =>
    all.find((span) => span.spanContext().spanId === id)?.name;
  const spans = all
    .filter(({ kind }) => kind === SpanKind.INTERNAL)
    .map(({ name, attributes, status, events, parentSpanContext }) => ({
      name,
      parent: nameOf(parentSpanContext?.spanId),
      attributes,
      ...(status.code === SpanStatusCode.UNSET ? {} : { status: status.message }),
      events: events.length,
    }));
  return { spans, text, status: response.status, faults: decorator.faults, server: all.length - spans.length };
}

const span = (name: string, parent: string, error?: readonly [type: string, message: string]): object => ({
  name,
  parent,
  attributes: { "code.function.name": name, ...(error === undefined ? {} : { "error.type": error[0] }) },
  ...(error === undefined ? {} : { status: error[1] }),
  events: 0,
});

describe("TracingDecorator", () => {
  const manager = new AsyncLocalStorageContextManager().enable();
  before(() => context.setGlobalContextManager(manager));
  after(() => context.disable());

  test("makes a span of each call below its caller's, without arguments, and none for a bean bound as a class", async () => {
    const { spans, text, server } = await spansOf(async ({ orders, plain }) => {
      return `${await orders.find("a")} ${orders.same().count()} ${plain.find()}`;
    });
    assert.deepEqual(spans, [
      span("Stock.of", "Orders.find"),
      span("Orders.find", "GET /"),
      span("Orders.same", "GET /"),
      span("Orders.count", "GET /"),
    ]);
    assert.deepEqual([text, server], ["a: 3 7 plain", 1]);
  });

  test("makes none for a request that is not sampled, and none outside of a request", async () => {
    const unsampled = await spansOf(({ orders }) => orders.find("a"), "off");
    assert.deepEqual([unsampled.spans, unsampled.text], [[], "a: 3"]);
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const beans = Beans.builder()
      .bind(Stock, () => ({ of: async () => 5 }))
      .instrument(new TracingDecorator(provider.getTracer("test")))
      .start();
    assert.equal(await beans.get(Stock).of("a"), 5);
    assert.deepEqual(exporter.getFinishedSpans(), []);
  });

  test("marks a call that fails, and an HttpError below 500 is none", async () => {
    const failed = await spansOf(({ orders }) => orders.find("boom"));
    const error = ["RangeError", "no stock"] as const;
    assert.deepEqual(failed.spans, [span("Stock.of", "Orders.find", error), span("Orders.find", "GET /", error)]);
    assert.equal(failed.status, 500);
    const missing = await spansOf(({ orders }) => orders.find("none"));
    assert.deepEqual([missing.spans, missing.status], [[span("Orders.find", "GET /")], 404]);
  });

  test("returns a lazy promise as it is, and does not run it", async () => {
    let query: PromiseLike<number> | undefined;
    const { spans } = await spansOf(({ orders }) => {
      query = orders.lazy();
      return "made";
    });
    assert.ok(query instanceof Query);
    assert.deepEqual([spans.length, query.runs], [1, 0]);
  });

  const broken: Record<string, (tracer: Tracer) => Tracer> = {
    "cannot start a span": () => ({
      startSpan: () => {
        throw new Error("no span");
      },
      startActiveSpan: () => undefined as never,
    }),
    "cannot end one": (tracer) => {
      const startSpan: Tracer["startSpan"] = (...given) =>
        Object.assign(tracer.startSpan(...given), {
          end: () => {
            throw new Error("no end");
          },
        });
      return { startSpan, startActiveSpan: () => undefined as never };
    },
  };
  for (const [what, change] of Object.entries(broken))
    test(`a tracer that ${what} is counted, and the call is made once`, async () => {
      let calls = 0;
      const { text, faults } = await spansOf(({ orders }) => `${(calls += 1)} ${orders.count()}`, "on", change);
      assert.deepEqual([text, faults, calls], ["1 7", 1, 1]);
    });

  test("fromServiceLoader needs a registered provider, and the constructor a tracer", () => {
    assert.throws(
      () => TracingDecorator.fromServiceLoader(),
      /^Error: TracingDecorator\.fromServiceLoader\(\): no Open/,
    );
    assert.throws(
      () => new TracingDecorator({} as Tracer),
      /^TypeError: TracingDecorator needs an OpenTelemetry tracer/,
    );
    trace.setGlobalTracerProvider(new BasicTracerProvider());
    assert.ok(TracingDecorator.fromServiceLoader().outermost);
    trace.disable();
  });
});

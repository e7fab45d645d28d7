/**
 * The app under test: every middleware on, devtools on, beans behind the routes.
 *
 *   wrap (counts) ▸ devtools ▸ request id ▸ log ▸ metrics ▸ span ▸ CORS ▸ health ▸ /r/{kind}/{nonce} ▸ Echo
 */
import { Devtools } from "@framework/devtools";
import { BasicTracerProvider, type ReadableSpan, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import {
  Beans,
  CorsMiddleware,
  Framework,
  HealthMiddleware,
  InMemoryMetricsCollector,
  MetricsMiddleware,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
  type AccessLogLine,
  type FrameworkOptions,
  type SseStream,
} from "framework";
import { TracingMiddleware } from "framework/opentelemetry";
import { Echo, routes } from "./routes.ts";
import { Tally } from "./tally.ts";

/** The app and everything that watches it. */
export interface Subject {
  readonly app: Framework;
  readonly tally: Tally;
  readonly metrics: InMemoryMetricsCollector;
  readonly errors: string[];
  /** Numbers that only grow. */
  readonly seen: { entered: number; lines: number; spans: number; refused: number; hangingStarts: number };
  /** The clients of `/events`. */
  readonly streams: ReadonlySet<SseStream>;
}

/** Makes the app. `size` is the number of nonces that are told apart. */
export function makeSubject(size: number, options: FrameworkOptions): Subject {
  const seen = { entered: 0, lines: 0, spans: 0, refused: 0, hangingStarts: 0 };
  const tally = new Tally(size);
  const metrics = new InMemoryMetricsCollector();
  const errors: string[] = [];
  const devtools = Devtools.create();
  const beans = Beans.builder()
    .bind(Echo, () => ({
      async say(nonce) {
        await new Promise((resolve) => setImmediate(resolve));
        return nonce;
      },
      blob: (bytes) => ({ data: "x".repeat(bytes) }),
    }))
    .instrument(devtools.recorder())
    .start();
  const app = Framework.create({
    host: "127.0.0.1",
    ...options,
    logger: {
      warn: () => undefined,
      error: (line, error) => void (errors.length < 100 && errors.push(`${line}: ${String(error)}`)),
    },
  });
  devtools.install(app.beans(beans), beans);
  observe(app, seen, tally, metrics);
  const streams = routes(app);
  return { app, tally, metrics, errors, seen, streams };
}

function observe(app: Framework, seen: Subject["seen"], tally: Tally, metrics: InMemoryMetricsCollector): void {
  const spans: SpanProcessor = {
    onStart: () => undefined,
    onEnd(span: ReadableSpan) {
      seen.spans += 1;
      tally.span(String(span.attributes["url.path"]));
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const provider = new BasicTracerProvider({ spanProcessors: [spans] });
  app
    .use({
      installed: (life) => life.onRefused(() => void (seen.refused += 1)),
      handle(ctx, next) {
        seen.entered += 1;
        tally.enter(ctx.url);
        return next();
      },
    })
    .use(new RequestIdMiddleware())
    .use(
      RequestLoggingMiddleware.json({
        write(text) {
          seen.lines += 1;
          const { path, requestId } = JSON.parse(text) as AccessLogLine;
          tally.line(path, requestId);
        },
      }),
    )
    .use(new MetricsMiddleware(metrics))
    .use(new TracingMiddleware(provider.getTracer("stress")))
    .use(CorsMiddleware.builder().allowOrigins("https://app.example").allowMethods("GET", "QUERY").build())
    .use(
      HealthMiddleware.builder()
        .timeout(500)
        .check("fine", () => true)
        .check("broken", () => {
          throw new Error("broken");
        })
        .check("hanging", () => ((seen.hangingStarts += 1), new Promise(() => undefined)))
        .build(),
    );
}

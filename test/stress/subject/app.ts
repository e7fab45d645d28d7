/**
 * The app under test: with every middleware, with devtools, and with beans for the routes.
 *
 *   counts ▸ devtools ▸ request id ▸ log ▸ metrics ▸ span ▸ CORS ▸ health ▸ /r/{kind}/{nonce} ▸ Echo
 */
import { Devtools } from "@framework/devtools";
import { BasicTracerProvider, type ReadableSpan, type SpanProcessor } from "@opentelemetry/sdk-trace-base";
import {
  Beans,
  CorsMiddleware,
  type Framework,
  HealthMiddleware,
  InMemoryMetricsCollector,
  MetricsMiddleware,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
  type AccessLogLine,
  type FrameworkOptions,
} from "framework";
import { TracingMiddleware } from "framework/opentelemetry";
import type { EngineName } from "../wires.ts";
import { Echo, routes } from "./routes.ts";
import { appFor } from "./serve.ts";
import { nothingSeen, type Seen } from "./seen.ts";

/** The app and its observers. */
export function makeSubject(engine: EngineName, options: FrameworkOptions) {
  const seen = nothingSeen();
  const metrics = new InMemoryMetricsCollector();
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
  const { app, serve } = appFor(engine, { ...options, logger: { warn: () => undefined, error: () => undefined } });
  devtools.install(app.beans(beans), beans);
  observe(app, seen, metrics);
  return { serve, metrics, seen, streams: routes(app, seen) };
}

/** Expected statuses: too many streams or an unhealthy app, an unknown version, and routes that fail on purpose. */
const isUnexpected = (status: number, path: string): boolean =>
  status >= 500 && status !== 503 && status !== 505 && !/\/(inject|r\/fail)\//.test(path);

function observe(app: Framework, seen: Seen, metrics: InMemoryMetricsCollector): void {
  const spans: SpanProcessor = {
    onStart: () => undefined,
    onEnd: ({ attributes }: ReadableSpan) => seen.spans.add(String(attributes["url.path"])),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const provider = new BasicTracerProvider({ spanProcessors: [spans] });
  const text = (line: string): void => void (/^[!-~]+ [!-~]+ \d{3} \d+us$/.test(line) || (seen.forged += 1));
  const json = (line: string): void => {
    if (!/^[ -~]+$/.test(line)) seen.forged += 1;
    const { method, path, status, requestId } = JSON.parse(line) as AccessLogLine;
    if (isUnexpected(status, path)) seen.unexpected.push(`${status} ${method} ${path}`);
    seen.lines.add(path, requestId);
  };
  app
    .use({
      installed: (life) => life.onRejected(() => void (seen.rejected += 1)),
      handle(ctx, next) {
        seen.entered.add(ctx.url);
        return next();
      },
    })
    .use(new RequestIdMiddleware())
    .use(RequestLoggingMiddleware.json({ write: json }))
    .use(new RequestLoggingMiddleware({ write: text }))
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

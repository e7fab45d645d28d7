/**
 * The W3C's tests of Trace Context (github.com/w3c/trace-context) against an app with `TracingMiddleware`.
 *
 *   test.py ──POST [{ url, arguments }]──▶ app ──POST, with traceHeaders(ctx)──▶ test.py, which looks at the headers
 *
 * It needs Python 3 and the package aiohttp. The server of the tests listens on 127.0.0.1:7777.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { AlwaysOnSampler, BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { context, SpanKind, type SpanContext } from "@opentelemetry/api";
import { Framework } from "framework";
import { traceHeaders, TracingMiddleware } from "framework/opentelemetry";
import { fileBelow } from "./find.ts";

interface Task {
  readonly url: string;
  readonly arguments: readonly Task[];
}

/** Runs the tests in the folder and prints their score. Resolves to the exit code, or undefined if there are none. */
export async function runTraceContext(folder: string): Promise<number | undefined> {
  const program = fileBelow(folder, "test/test.py");
  if (program === undefined || fileBelow(folder, "tracecontext/traceparent.py") === undefined) return undefined;
  const app = await tracedApp().start(0);
  try {
    // spec/tracing.md refers to level 2 of the specification. Strictness 2 runs every test.
    const env = { ...process.env, SERVICE_ENDPOINT: `${app.url}/test`, SPEC_LEVEL: "2", STRICT_LEVEL: "2" };
    const child = spawn(process.env["PYTHON"] ?? "python3", [program, `${app.url}/test`], {
      cwd: dirname(program),
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
    await once(child, "close");
    return scoreOf(said);
  } finally {
    await app.stop();
  }
}

/** Sends the requests that the tests ask for, in the trace of the request. */
function tracedApp(): Framework {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const tracer = new BasicTracerProvider({ sampler: new AlwaysOnSampler() }).getTracer("outside");
  return Framework.create({ host: "127.0.0.1", logger: { warn: () => {}, error: () => {} } })
    .use(new TracingMiddleware(tracer))
    .post("/test", async (ctx) => {
      for (const { url, arguments: more } of (await ctx.body()) as readonly Task[]) {
        const span = tracer.startSpan("POST", { kind: SpanKind.CLIENT });
        const headers = { ...ofSpan(traceHeaders(ctx), span.spanContext()), "content-type": "application/json" };
        await fetch(url, { method: "POST", headers, body: JSON.stringify(more) });
        span.end();
      }
      ctx.status(204);
    });
}

/** The headers with the span of one call as the parent, as an instrumented client sends them: each call has its own span. */
function ofSpan(headers: Readonly<Record<string, string>>, { spanId }: SpanContext): Readonly<Record<string, string>> {
  const { traceparent = "" } = headers;
  return { ...headers, traceparent: traceparent.replace(/-[0-9a-f]{16}-/, `-${spanId}-`) };
}

/** Prints the score and the failures, from the output of Python's unittest. */
function scoreOf(said: string): number {
  const [, count] = /^Ran (\d+) tests/m.exec(said) ?? [];
  if (count === undefined) throw new Error(`the tests of Trace Context did not run:\n${said}`);
  const [, skipped = "0"] = /^.*\bskipped=(\d+)/m.exec(said) ?? [];
  const failed = [...said.matchAll(/^(?:FAIL|ERROR): (\w+)/gm)];
  for (const [, name] of failed) process.stdout.write(`✖ ${name ?? ""}\n`);
  process.stdout.write(`W3C Trace Context: ${Number(count) - Number(skipped) - failed.length} of ${count} tests\n`);
  return failed.length === 0 ? 0 : 1;
}

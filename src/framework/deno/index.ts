/**
 * framework/deno: the app on Deno's own server.
 *
 *   serve(app, { port }) ──▶ app.start(port, new DenoEngine()) ──▶ Deno.serve
 *
 * Spec: spec/engines.md
 */
import type { ServerEngine } from "../http/exchange.ts";
import { DenoEngine, type DenoEngineOptions } from "./deno-engine.ts";

export { DenoEngine, type DenoEngineOptions } from "./deno-engine.ts";

/** Options of `serve`: Deno's own, and the port. */
export interface ServeOptions extends DenoEngineOptions {
  /** Default: the app's own. 0 picks a free one. */
  readonly port?: number | undefined;
}

/**
 * Starts the app on `Deno.serve`. `app.port`, `app.url` and `app.stop()` are those of `app.start()`.
 *
 * @example
 * ```ts
 * await serve(app, { port: 8080 });
 * ```
 * @throws (rejects) the errors of `app.start`.
 */
export function serve<App extends { start(port?: number, engine?: ServerEngine): Promise<unknown> }>(
  app: App,
  { port, ...options }: ServeOptions = {},
): Promise<App> {
  return app.start(port, new DenoEngine(options)).then(() => app);
}

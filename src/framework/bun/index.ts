/**
 * framework/bun: the app on Bun's own server.
 *
 *   serve(app, { port }) ──▶ app.start(port, new BunEngine()) ──▶ Bun.serve
 *
 * Spec: spec/engines.md
 */
import type { ServerEngine } from "../http/exchange.ts";
import { BunEngine, type BunEngineOptions } from "./bun-engine.ts";

export { BunEngine, type BunEngineOptions } from "./bun-engine.ts";
export type { BunTls } from "./platform.ts";

/** Options of `serve`: Bun's own, and the port. */
export interface ServeOptions extends BunEngineOptions {
  /** Default: the app's own. 0 picks a free one. */
  readonly port?: number | undefined;
}

/**
 * Starts the app on `Bun.serve`. `app.port`, `app.url` and `app.stop()` are those of `app.start()`.
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
  return app.start(port, new BunEngine(options)).then(() => app);
}

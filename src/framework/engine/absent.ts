/**
 * What a worker gets instead of Node's engines: the same names, and a sentence where one of them is used. A worker cannot
 * listen, and what it does not need is two fifths of what it would have to load.
 *
 * Spec: spec/engines.md
 */
import type { RunningEngine, ServerEngine } from "../http/exchange.ts";

const absent = (what: string): Error =>
  new Error(`${what} needs Node, and this is the build of the framework for workers: serve by app.fetch`);

/** The default engine, where there is no Node. */
export class NodeHttpEngine implements ServerEngine {
  readonly name: string = "node-http";

  start(): Promise<RunningEngine> {
    return Promise.reject(absent("app.start()"));
  }
}

/** The engine of HTTP/2, where there is no Node. */
export class NodeHttp2Engine extends NodeHttpEngine {}

/** @throws Error always */
export function hostedListener(): never {
  throw absent("app.listener()");
}

/** @throws Error always */
export function hostedUpgradeListener(): never {
  throw absent("app.upgradeListener()");
}

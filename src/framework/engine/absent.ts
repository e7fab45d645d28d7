/**
 * The replacement of Node's engines in a worker: the same names, and an error when one of them is used. A worker cannot listen,
 * and Node's engines would be two fifths of the code that it loads.
 *
 * Spec: spec/engines.md
 */
import type { RunningEngine, ServerEngine } from "../http/exchange.ts";

const absent = (what: string): Error =>
  new Error(`${what} needs Node, and this is the build of the framework for workers: serve by app.fetch`);

/** The default engine on a platform without Node. */
export class NodeHttpEngine implements ServerEngine {
  readonly name: string = "node-http";

  start(): Promise<RunningEngine> {
    return Promise.reject(absent("app.start()"));
  }
}

/** The engine of HTTP/2 on a platform without Node. */
export class NodeHttp2Engine extends NodeHttpEngine {}

/** @throws Error always */
export function hostedListener(): never {
  throw absent("app.listener()");
}

/** @throws Error always */
export function hostedUpgradeListener(): never {
  throw absent("app.upgradeListener()");
}

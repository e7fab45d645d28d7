/**
 * NodeHttpEngine: serves over node:http.
 *
 *   listen ──▶ http1Server ──▶ NodeExchange ──▶ handler
 *
 * Node's modules are loaded when the engine starts, so that importing the framework needs none of them, and its declarations
 * have none of their types.
 *
 * Spec: spec/engines.md
 */
import type { EngineConfig, EngineHandler, RunningEngine, ServerEngine } from "../../http/exchange.ts";
import { http1Server } from "./http1-server.ts";
import { listen, stopListening } from "../listening.ts";
import { ConnectionTracker } from "../connection-tracker.ts";

/** The default engine. */
export class NodeHttpEngine implements ServerEngine {
  readonly name: string = "node-http";

  async start(config: EngineConfig, handler: EngineHandler): Promise<RunningEngine> {
    const sockets = new ConnectionTracker(config.timeouts.idleMs);
    const server = http1Server(this.name, config, handler, sockets);
    const port = await listen(server, config);
    return {
      port,
      get connections() {
        return sockets.size;
      },
      stop: (graceMs) => stopListening(server, sockets, graceMs),
    };
  }
}

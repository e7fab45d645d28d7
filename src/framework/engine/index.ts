/**
 * framework/engine: the types for writing your own engine. Importing it loads nothing.
 *
 * @packageDocumentation
 */
export type {
  Delivery,
  EngineConfig,
  EngineHandler,
  Exchange,
  Flaw,
  GoneListener,
  RunningEngine,
  ServerEngine,
  Sink,
  Upgraded,
} from "../http/exchange.ts";

/**
 * framework/engine: the types that an engine of one's own is written against. Importing it loads nothing.
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

/** The rows of `make fuzz`: bytes over sockets, properties of parsers, regular expressions. */
import type { Measurement } from "../rows.ts";
import { linear } from "./linear.ts";
import { properties } from "./properties.ts";
import { protocolFuzz } from "./protocol.ts";
import { regexes } from "./regexes.ts";

/** What `make fuzz` measures. */
export const fuzzRows: Readonly<Record<string, Measurement>> = {
  protocol: protocolFuzz,
  ...properties,
  regexes,
  parsers: linear,
};

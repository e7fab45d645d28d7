/** Servers that depend on how a request is split. */
import { breaks } from "../kit/mutant.ts";

/** The mutants of this chapter. */
export const engines = [
  breaks("requests-in-pieces-are-cut", ["ENGINE-012"], (exchange) =>
    exchange.sent.method === "PATCH" && exchange.sent.path === "/users/apart"
      ? { ...exchange, cut: "close" }
      : exchange,
  ),
];

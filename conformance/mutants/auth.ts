/** Authentication that lets clients in, or does not say which credentials it needs. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, headerOf } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

const isAt = ({ sent }: Exchange, ...doors: readonly string[]): boolean =>
  doors.some((door) => sent.path === `/private/${door}`);
const credentials = ({ sent }: Exchange): string => headerOf(sent.headers, "authorization") ?? "";

/** Lets a client in. */
const opens =
  (status: number, when: (exchange: Exchange) => boolean): Rewrite =>
  (exchange) =>
    exchange.status === status && when(exchange)
      ? { ...exchange, status: 200, body: JSON.stringify({ id: "somebody" }) }
      : exchange;

/** The mutants of this chapter. */
export const auth = [
  breaks("schemes-are-in-capitals", ["AUTH-004"], (exchange) =>
    /^BA|^ba/.test(credentials(exchange)) && isAt(exchange, "basic") ? { ...exchange, status: 401 } : exchange,
  ),
  breaks(
    "tokens-need-no-signature",
    ["AUTH-014"],
    opens(401, (exchange) => isAt(exchange, "jwt") && credentials(exchange).endsWith(".")),
  ),
];

/** Doors that are open, or say nothing of their key. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, headerOf } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

const isAt = ({ sent }: Exchange, ...doors: readonly string[]): boolean =>
  doors.some((door) => sent.path === `/private/${door}`);
const credentials = ({ sent }: Exchange): string => headerOf(sent.headers, "authorization") ?? "";

/** Lets somebody in. */
const opens =
  (status: number, when: (exchange: Exchange) => boolean): Rewrite =>
  (exchange) =>
    exchange.status === status && when(exchange)
      ? { ...exchange, status: 200, body: JSON.stringify({ id: "somebody" }) }
      : exchange;

/** Changes the challenges. */
const challenges =
  (when: (exchange: Exchange) => boolean, change: (challenge: string) => string): Rewrite =>
  (exchange) => {
    const found = headerOf(exchange.headers, "www-authenticate");
    return found !== undefined && when(exchange) ? editHeader(exchange, "WWW-Authenticate", change(found)) : exchange;
  };

const claimsOf = (exchange: Exchange): string =>
  Buffer.from(credentials(exchange).split(".")[1] ?? "", "base64url").toString();

/** The mutants of this chapter. */
export const auth = [
  breaks(
    "wrong-passwords-will-do",
    ["AUTH-001"],
    opens(
      401,
      (exchange) => isAt(exchange, "basic") && credentials(exchange) === "Basic bm9ib2R5OnRoZSBzZWNyZXQgb2YgYWRh",
    ),
  ),
  breaks(
    "challenges-name-no-charset",
    ["AUTH-001"],
    challenges(
      (exchange) => isAt(exchange, "basic"),
      (challenge) => challenge.replace(/, charset="[^"]*"/, ""),
    ),
  ),
  breaks(
    "no-credentials-are-an-error",
    ["AUTH-002"],
    challenges(
      (exchange) => isAt(exchange, "bearer") && exchange.status === 401 && credentials(exchange) === "",
      (challenge) => `${challenge}, error="invalid_token"`,
    ),
  ),
  breaks(
    "unknown-tokens-are-no-error",
    ["AUTH-003"],
    challenges(
      (exchange) => isAt(exchange, "bearer"),
      (challenge) => challenge.replace(/, error="invalid_token".*/, ""),
    ),
  ),
  breaks("schemes-are-in-capitals", ["AUTH-004"], (exchange) =>
    /^BA|^ba/.test(credentials(exchange)) && isAt(exchange, "basic") ? { ...exchange, status: 401 } : exchange,
  ),
  breaks(
    "names-may-hold-control-characters",
    ["AUTH-005"],
    opens(401, (exchange) => isAt(exchange, "basic") && credentials(exchange).startsWith("Basic YWRhAD")),
  ),
  breaks(
    "the-first-of-several-tokens-counts",
    ["AUTH-006"],
    opens(400, (exchange) => isAt(exchange, "bearer") && credentials(exchange).includes(", ")),
  ),
  breaks(
    "tokens-may-be-in-urls",
    ["AUTH-007"],
    opens(401, ({ sent }) => sent.target.includes("access_token=")),
  ),
  breaks(
    "tokens-may-be-in-forms",
    ["AUTH-007"],
    opens(401, ({ sent }) => sent.body.includes("access_token=")),
  ),
  breaks(
    "wrong-credentials-are-as-good-as-none",
    ["AUTH-021"],
    opens(401, (exchange) => isAt(exchange, "optional")),
  ),
  breaks(
    "the-last-scheme-alone-is-named",
    ["AUTH-022"],
    challenges(
      (exchange) => isAt(exchange, "either"),
      (challenge) => challenge.replace(/Bearer realm="subject"(?:, )?/, ""),
    ),
  ),
  breaks(
    "every-role-will-do",
    ["AUTH-009"],
    opens(403, (exchange) => isAt(exchange, "role")),
  ),
  breaks(
    "one-scope-will-do",
    ["AUTH-009"],
    opens(403, (exchange) => isAt(exchange, "scope") && credentials(exchange).endsWith("bob")),
  ),
  breaks("nobody-is-forbidden", ["AUTH-010"], (exchange) =>
    isAt(exchange, "role", "scope") && exchange.status === 401 ? { ...exchange, status: 403 } : exchange,
  ),
  breaks("clocks-are-the-same", ["AUTH-013"], (exchange) => {
    const over = /"exp":(\d+)/.exec(claimsOf(exchange))?.[1];
    return isAt(exchange, "jwt") && over !== undefined && Number(over) < Date.now() / 1_000
      ? { ...exchange, status: 401 }
      : exchange;
  }),
  breaks(
    "tokens-need-no-signature",
    ["AUTH-014"],
    opens(401, (exchange) => isAt(exchange, "jwt") && credentials(exchange).endsWith(".")),
  ),
  breaks(
    "tokens-are-for-everybody",
    ["AUTH-014"],
    opens(401, (exchange) => isAt(exchange, "jwt") && claimsOf(exchange).includes('"aud":"another"')),
  ),
  breaks(
    "tokens-without-keys-will-do",
    ["AUTH-017"],
    opens(503, (exchange) => isAt(exchange, "unreachable")),
  ),
];

/** Searches that find too much, too little, or do not say where. */
import type { Static } from "typebox";
import type { RequirementId } from "../../spec/requirements.ts";
import type { SearchPage } from "../../spec/search.ts";
import { searchPath } from "../kit/devtools.ts";
import { breaks, editHeader, editObject, type Mutant } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

type Page = Static<typeof SearchPage>;

/** Rewrites the responses to searches whose query has that in it. */
function spoils(name: string, id: RequirementId, about: string, change: Rewrite): Mutant {
  return breaks(name, [id], (exchange) =>
    exchange.sent.path === searchPath && decodeURIComponent(exchange.sent.target).includes(about)
      ? change(exchange)
      : exchange,
  );
}

const page =
  (change: (page: Page) => object): Rewrite =>
  (exchange) =>
    editObject(exchange, (body) => change(body as Page));

const nothing = page((found) => ({ ...found, hits: [] }));
/** A hit where there is none. */
const something = page((found) => (found.hits.length > 0 ? found : { ...found, hits: [madeUp] }));
const madeUp: Page["hits"][number] = {
  ...{ instance: "x", sequence: 1, kind: "request", method: "GET", path: "/x", route: null, status: 200, startedAt: 1 },
  ...{ durationUs: 1, calls: [], leaves: [], parts: [] },
};
const hits = (change: (hit: Page["hits"][number]) => Page["hits"][number]): Rewrite =>
  page((found) => ({ ...found, hits: found.hits.map(change) }));

/** The mutants of this chapter. */
export const search = [
  spoils("search-is-accepted", "SEARCH-001", "path:s001", (exchange) => ({ ...exchange, status: 202 })),
  spoils(
    "search-finds-the-oldest-first",
    "SEARCH-001",
    "path:s001",
    page((found) => ({ ...found, hits: found.hits.toReversed() })),
  ),
  spoils(
    "search-forgets-a-run",
    "SEARCH-001",
    "path:s001",
    page((found) => ({ ...found, hits: found.hits.slice(1) })),
  ),
  spoils("search-obeys-one-term", "SEARCH-001", "path:s001", something),
  spoils(
    "search-names-no-call",
    "SEARCH-002",
    "body.item:s002",
    hits((hit) => ({ ...hit, calls: [] })),
  ),
  spoils(
    "search-names-every-call",
    "SEARCH-002",
    "body.item:s002",
    hits((hit) => ({ ...hit, calls: [0, 1, 2, 3, 4] })),
  ),
  spoils(
    "search-names-no-part",
    "SEARCH-002",
    "body.item:s002",
    hits((hit) => ({ ...hit, parts: [] })),
  ),
  spoils(
    "search-names-another-run",
    "SEARCH-002",
    "body.item:s002",
    hits((hit) => ({ ...hit, sequence: hit.sequence + 1 })),
  ),
  spoils("search-mixes-calls", "SEARCH-003", "body.item:s003", something),
  spoils("search-knows-one-bean", "SEARCH-003", "bean:Catalog bean:OrderRepository", nothing),
  spoils(
    "search-ignores-a-minus",
    "SEARCH-004",
    "path:s004",
    page((found) => ({ ...found, hits: [...found.hits, madeUp] })),
  ),
  spoils("search-takes-a-minus-for-a-plus", "SEARCH-004", "path:s004", nothing),
  spoils("search-ignores-quotes", "SEARCH-005", '"lamp s005', something),
  spoils("search-wants-words-in-order", "SEARCH-005", "lamp s005", nothing),
  spoils("search-knows-no-class-of-status", "SEARCH-006", "status:4xx", nothing),
  spoils(
    "search-knows-one-status",
    "SEARCH-006",
    "status:418,503",
    page((found) => ({ ...found, hits: found.hits.slice(1) })),
  ),
  spoils("search-compares-no-status", "SEARCH-006", "status>=500", nothing),
  spoils("search-compares-no-number", "SEARCH-008", "body.total<9", something),
  spoils("search-looks-behind-any-key", "SEARCH-008", "body.total=s008", something),
  spoils("search-finds-no-argument", "SEARCH-008", "arg.item=s008", nothing),
  spoils("search-knows-no-route-by-its-method", "SEARCH-009", 'route:"GET', nothing),
  spoils("search-takes-any-method", "SEARCH-009", 'route:"POST', something),
  spoils("search-knows-no-message", "SEARCH-010", 'error:"secret', nothing),
  spoils("search-takes-any-error", "SEARCH-010", "error:nothing", something),
  spoils("search-understands-everything", "SEARCH-011", "beam:y", (exchange) => ({ ...exchange, status: 200 })),
  spoils("search-says-it-in-json", "SEARCH-011", "beam:y", (exchange) =>
    editHeader(exchange, "Content-Type", "application/json"),
  ),
  spoils("search-says-no-place", "SEARCH-011", "beam:y", (exchange) =>
    editObject(exchange, (body) => ({ ...body, issues: [{ at: 0, length: 24, message: "no" }] })),
  ),
  spoils("search-finds-no-bare-word", "SEARCH-013", "q=s013", nothing),
  spoils(
    "search-gives-all-at-once",
    "SEARCH-017",
    "path:s017",
    page((found) => ({ ...found, next: null })),
  ),
  spoils(
    "search-begins-again",
    "SEARCH-017",
    "cursor=",
    page((found) => ({ ...found, next: "x.1" })),
  ),
];

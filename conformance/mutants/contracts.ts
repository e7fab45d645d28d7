/** Contracts that are held against half of what they say. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, editObject } from "../kit/mutant.ts";

const isLine = (path: string): boolean => path.startsWith("/lines/");
interface Issue {
  readonly in: string;
  readonly path: readonly (string | number)[];
  readonly pointer: string;
}
const errorsOf = (problem: Readonly<Record<string, unknown>>) => problem["errors"] as readonly Issue[];

/** Every issue of a problem, changed. */
const editIssues = (exchange: Exchange, change: (issue: Issue) => object): Exchange =>
  editObject(exchange, (problem) => ({ ...problem, errors: errorsOf(problem).map(change) }));

/** The mutants of this chapter. */
export const contracts = [
  breaks("path-parameters-stay-text", ["CONTRACT-001"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 201
      ? editObject(exchange, (found) => ({ ...found, order: 8 }))
      : exchange,
  ),
  breaks("issues-of-the-body-alone", ["CONTRACT-004", "CONTRACT-030", "CONTRACT-031"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 422
      ? editObject(exchange, (problem) => ({
          ...problem,
          errors: errorsOf(problem).filter((one) => one.in === "body"),
        }))
      : exchange,
  ),
  breaks("issues-have-no-pointer", ["CONTRACT-004"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 422
      ? editIssues(exchange, ({ pointer: _, ...rest }) => rest)
      : exchange,
  ),
  breaks("a-missing-body-is-422", ["CONTRACT-005"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 400 ? { ...exchange, status: 422 } : exchange,
  ),
  breaks("other-methods-are-held-against-the-contract-too", ["CONTRACT-022"], (exchange) =>
    isLine(exchange.sent.path) && exchange.sent.method === "PUT" ? { ...exchange, status: 422 } : exchange,
  ),
  breaks("other-paths-are-held-against-the-contract-too", ["CONTRACT-023"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 404 ? { ...exchange, status: 422 } : exchange,
  ),
  breaks("schemas-are-asked-about-half-a-body", ["CONTRACT-024"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 413 ? { ...exchange, status: 422 } : exchange,
  ),
  breaks("schemas-are-asked-about-any-type", ["CONTRACT-025"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 415 ? { ...exchange, status: 422 } : exchange,
  ),
  breaks("contracts-of-query-reject-with-400", ["CONTRACT-026", "QUERY-006"], (exchange) =>
    exchange.sent.path === "/lines" && exchange.status === 422 ? { ...exchange, status: 400 } : exchange,
  ),
  breaks("pointers-are-not-escaped", ["CONTRACT-027"], (exchange) =>
    exchange.sent.path === "/nested" && exchange.status === 422
      ? editIssues(exchange, (issue) => ({ ...issue, pointer: `/${issue.path.join("/")}` }))
      : exchange,
  ),
  breaks("places-in-a-list-are-texts", ["CONTRACT-028"], (exchange) =>
    exchange.sent.path === "/nested" && exchange.status === 422
      ? editIssues(exchange, (issue) => ({ ...issue, path: issue.path.map(String) }))
      : exchange,
  ),
  breaks("issues-are-all-listed", ["CONTRACT-039"], (exchange) =>
    exchange.sent.path === "/nested" && exchange.status === 422
      ? editObject(exchange, ({ moreErrors, ...problem }) => {
          if (moreErrors === undefined) return problem;
          // One stays counted, so that it is the list alone that is too long.
          const [first] = errorsOf(problem);
          const further = Array(Number(moreErrors) - 1).fill(first);
          return { ...problem, errors: [...errorsOf(problem), ...further], moreErrors: 1 };
        })
      : exchange,
  ),
  breaks("issues-that-are-left-out-are-not-counted", ["CONTRACT-039"], (exchange) =>
    exchange.sent.path === "/nested" && exchange.status === 422
      ? editObject(exchange, ({ moreErrors: _, ...problem }) => problem)
      : exchange,
  ),
  breaks(
    "contracts-reject-with-400",
    ["CONTRACT-004", "CONTRACT-030", "CONTRACT-031", "CONTRACT-034", "CONTRACT-037"],
    (exchange) =>
      exchange.status === 422 && (isLine(exchange.sent.path) || exchange.sent.path === "/forms")
        ? { ...exchange, status: 400 }
        : exchange,
  ),
  breaks("the-last-of-several-values-wins", ["CONTRACT-006"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 201
      ? editObject(exchange, (found) => ({ ...found, tags: (found["tags"] as readonly string[]).slice(-1) }))
      : exchange,
  ),
  breaks("one-value-is-no-list", ["CONTRACT-029"], (exchange) =>
    exchange.sent.target.endsWith("?tag=only")
      ? editObject(exchange, (found) => ({ ...found, tags: ["o", "n", "l", "y"] }))
      : exchange,
  ),
  breaks("a-hidden-value-passes", ["CONTRACT-037"], (exchange) =>
    exchange.sent.target.endsWith("?notify=true&notify=false") ? { ...exchange, status: 201 } : exchange,
  ),
  breaks("headers-are-named-as-they-were-sent", ["CONTRACT-004", "CONTRACT-030"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 422
      ? editIssues(exchange, (issue) => (issue.in === "headers" ? { ...issue, path: ["X-Tenant"] } : issue))
      : exchange,
  ),
  breaks("cookies-are-a-header", ["CONTRACT-031"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 422
      ? editIssues(exchange, (issue) => (issue.in === "cookies" ? { ...issue, in: "headers" } : issue))
      : exchange,
  ),
  breaks("forms-are-not-decoded", ["CONTRACT-007"], (exchange) =>
    exchange.sent.path === "/forms" && exchange.status === 200
      ? editObject(exchange, (found) => ({ ...found, name: encodeURIComponent(String(found["name"])) }))
      : exchange,
  ),
  breaks("forms-take-malformed-escapes", ["CONTRACT-032"], (exchange) =>
    exchange.sent.path === "/forms" && exchange.status === 400 ? { ...exchange, status: 422 } : exchange,
  ),
  breaks("forms-take-json", ["CONTRACT-033"], (exchange) =>
    exchange.sent.path === "/forms" && exchange.status === 415 ? { ...exchange, status: 422 } : exchange,
  ),
  breaks("fields-of-a-form-are-a-part-of-their-own", ["CONTRACT-034"], (exchange) =>
    exchange.sent.path === "/forms" && exchange.status === 422
      ? editIssues(exchange, (issue) => ({ ...issue, in: "query" }))
      : exchange,
  ),
  breaks("contracts-of-query-say-no-type", ["CONTRACT-008"], (exchange) =>
    exchange.sent.path === "/lines" ? editHeader(exchange, "Accept-Query", undefined) : exchange,
  ),
  breaks("replies-are-200", ["CONTRACT-012"], (exchange) =>
    isLine(exchange.sent.path) && exchange.status === 201 ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("replies-without-a-value-are-200", ["CONTRACT-035"], (exchange) =>
    exchange.sent.path === "/nested" && exchange.status === 204 ? { ...exchange, status: 200, body: "null" } : exchange,
  ),
  breaks(
    "bodies-are-not-held-against-their-schema",
    ["CONTRACT-027", "CONTRACT-028", "CONTRACT-035", "CONTRACT-039"],
    (exchange) =>
      exchange.sent.path === "/nested" && exchange.status === 422 ? { ...exchange, status: 204, body: "" } : exchange,
  ),
  breaks("no-response-keeps-to-its-contract", ["CONTRACT-019"], (exchange) =>
    exchange.sent.path === "/replies/sound" ? { ...exchange, status: 500 } : exchange,
  ),
  breaks("broken-responses-are-sent", ["CONTRACT-019"], (exchange) =>
    exchange.sent.path === "/replies/broken" ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("broken-responses-are-told", ["CONTRACT-019"], (exchange) =>
    exchange.sent.path === "/replies/broken"
      ? editObject(exchange, (problem) => ({ ...problem, detail: "s3cr3t is no part of it" }))
      : exchange,
  ),
  breaks("nobody-passes-what-a-group-shares", ["CONTRACT-036"], (exchange) =>
    exchange.sent.path.startsWith("/tenant/") ? { ...exchange, status: 422 } : exchange,
  ),
  breaks("a-route-without-a-contract-forgets-its-groups", ["CONTRACT-036"], (exchange) =>
    exchange.sent.path === "/tenant/name" && exchange.status === 422 ? { ...exchange, status: 200 } : exchange,
  ),
];

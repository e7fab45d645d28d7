/** Broken pages. */
import type { RequirementId } from "../../spec/requirements.ts";
import { asHtml, page } from "../kit/devtools.ts";
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, headerOf, type Mutant } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

function spoils(
  name: string,
  kills: readonly RequirementId[],
  isIt: (exchange: Exchange, header: (name: string) => string) => boolean,
  change: Rewrite,
): Mutant {
  return breaks(name, kills, (exchange) => {
    const { path, method, headers } = exchange.sent;
    if (path !== page || method !== "GET") return exchange;
    return isIt(exchange, (header) => headerOf(headers, header) ?? "") ? change(exchange) : exchange;
  });
}

const isHtml = (_: Exchange, header: (name: string) => string): boolean => header("accept") === asHtml.accept;
const adding =
  (markup: string): Rewrite =>
  (exchange) => ({ ...exchange, body: exchange.body.replace("<title>", `${markup}<title>`) });

/** The mutants of the page. */
export const devtoolsPage = [
  spoils("page-loads-a-font", ["DEV-001"], isHtml, adding('<link href="https://fonts.test/a.css">')),
  spoils("page-loads-its-script", ["DEV-001"], isHtml, adding("<img src=/framework/dev/logo.png>")),
  spoils("page-is-text", ["DEV-001"], isHtml, (exchange) => editHeader(exchange, "content-type", "text/plain")),
  spoils(
    "page-sent-again",
    ["DEV-031"],
    ({ status }) => status === 304,
    (exchange) => ({ ...exchange, status: 200 }),
  ),
  spoils(
    "page-is-never-new",
    ["DEV-031"],
    (_, header) => header("if-none-match") === '"another"',
    (exchange) => ({ ...exchange, status: 304, body: "" }),
  ),
  spoils(
    "page-tag-without-quotes",
    ["DEV-031"],
    (_, header) => header("accept-encoding") === "",
    (exchange) => editHeader(exchange, "etag", "tag"),
  ),
  spoils(
    "page-never-packed",
    ["DEV-032"],
    (_, header) => header("accept-encoding") === "br;q=0.1, gzip",
    (exchange) => editHeader(exchange, "content-encoding", undefined),
  ),
  spoils(
    "page-packed-for-clients-that-reject-it",
    ["DEV-032"],
    (_, header) => header("accept-encoding") === "gzip;q=0",
    (exchange) => editHeader(exchange, "content-encoding", "gzip"),
  ),
];

/** Servers of files that send too much, too little, or say it wrong. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, headerOf } from "../kit/mutant.ts";

const at = ({ sent }: Exchange, path: string): boolean => sent.path === path;
const asks = ({ sent }: Exchange, name: string): string | undefined => headerOf(sent.headers, name);
const isPart = (exchange: Exchange): boolean => at(exchange, "/assets/digits.txt") && exchange.status === 206;

/** As the file is sent that `body` is. */
const file = (exchange: Exchange, body: string): Exchange =>
  editHeader({ ...exchange, status: 200, body }, "Content-Type", "text/plain");

/** The mutants of this chapter. */
export const staticFiles = [
  breaks("files-say-no-date", ["STATIC-001"], (exchange) =>
    at(exchange, "/assets/index.html") ? editHeader(exchange, "Last-Modified", undefined) : exchange,
  ),
  breaks("files-take-the-place-of-routes", ["STATIC-001"], (exchange) =>
    at(exchange, "/assets/route.txt") ? { ...exchange, body: "a file" } : exchange,
  ),
  breaks("names-beyond-ascii-are-no-files", ["STATIC-001"], (exchange) =>
    exchange.sent.path.includes("%C3%BC") && exchange.sent.path.startsWith("/assets/gr")
      ? { ...exchange, status: 404 }
      : exchange,
  ),
  ...["/assets/%2e%2e%2fbeside.txt", "/assets/..%5cbeside.txt", "/assets/%252e%252e%252fbeside.txt"].map((path) =>
    breaks(`paths-lead-out-by-${path}`, ["STATIC-002"], (exchange) =>
      at(exchange, path) ? file(exchange, "hunter2-files") : exchange,
    ),
  ),
  breaks("another-file-is-found-outside", ["STATIC-002"], (exchange) =>
    at(exchange, "/assets//etc/passwd") ? file(exchange, "anything") : exchange,
  ),
  ...["/assets/.env", "/assets/sub/.hidden", "/assets/hidden.txt"].map((path) =>
    breaks(`hidden-is-sent-at-${path}`, ["STATIC-003"], (exchange) =>
      at(exchange, path) ? file(exchange, "hunter2-files") : exchange,
    ),
  ),
  breaks("hidden-is-told", ["STATIC-003"], (exchange) =>
    at(exchange, "/assets/.env") ? { ...exchange, status: 403 } : exchange,
  ),
  ...["/assets/out.txt", "/assets/up/beside.txt"].map((path) =>
    breaks(`links-lead-out-at-${path}`, ["STATIC-004"], (exchange) =>
      at(exchange, path) ? file(exchange, "hunter2-files") : exchange,
    ),
  ),
  breaks("links-lead-nowhere", ["STATIC-004"], (exchange) =>
    at(exchange, "/assets/inside.txt") ? { ...exchange, status: 404 } : exchange,
  ),
  breaks("last-bytes-are-the-first", ["STATIC-005"], (exchange) =>
    isPart(exchange) && asks(exchange, "range") === "bytes=-3" ? { ...exchange, body: "012" } : exchange,
  ),
  breaks("parts-name-no-range", ["STATIC-005"], (exchange) =>
    isPart(exchange) && asks(exchange, "range") === "bytes=2-4"
      ? editHeader(exchange, "Content-Range", undefined)
      : exchange,
  ),
  breaks("ranges-beyond-the-end-say-no-size", ["STATIC-018"], (exchange) =>
    exchange.status === 416 ? editHeader(exchange, "Content-Range", undefined) : exchange,
  ),
  breaks("the-first-of-several-ranges-is-sent", ["STATIC-006"], (exchange) =>
    asks(exchange, "range") === "bytes=0-1,3-4" ? { ...exchange, status: 206, body: "01" } : exchange,
  ),
  breaks("another-unit-is-rejected", ["STATIC-006"], (exchange) =>
    asks(exchange, "range") === "lines=0-1" ? { ...exchange, status: 416 } : exchange,
  ),
  breaks("dates-are-not-compared", ["STATIC-007"], (exchange) =>
    exchange.status === 304 && at(exchange, "/assets/digits.txt") && asks(exchange, "if-none-match") === undefined
      ? { ...exchange, status: 200, body: "0123456789" }
      : exchange,
  ),
  breaks("if-range-is-ignored", ["STATIC-007"], (exchange) =>
    at(exchange, "/assets/digits.txt") && asks(exchange, "if-range") === '"other"'
      ? { ...exchange, status: 206, body: "0123" }
      : exchange,
  ),
  breaks("parts-have-a-tag-of-their-own", ["STATIC-007"], (exchange) =>
    isPart(exchange) ? editHeader(exchange, "ETag", '"part"') : exchange,
  ),
  breaks("files-have-no-tag", ["STATIC-007"], (exchange) =>
    at(exchange, "/assets/bare/only.txt") ? editHeader(exchange, "ETag", undefined) : exchange,
  ),
  breaks("codings-have-one-tag", ["STATIC-008"], (exchange) =>
    at(exchange, "/assets/app-0123abcd.js") ? editHeader(exchange, "ETag", '"one"') : exchange,
  ),
  breaks("coded-files-are-of-their-coding", ["STATIC-008"], (exchange) =>
    at(exchange, "/assets/app-0123abcd.js") && headerOf(exchange.headers, "content-encoding") === "gzip"
      ? editHeader(exchange, "Content-Type", "application/gzip")
      : exchange,
  ),
  breaks("files-hide-that-codings-matter", ["STATIC-019"], (exchange) =>
    at(exchange, "/assets/digits.txt") && exchange.status === 200 ? editHeader(exchange, "Vary", "Origin") : exchange,
  ),
  breaks("wrong-paths-get-a-page", ["STATIC-009"], (exchange) =>
    at(exchange, "/pages/orders/7") && exchange.status === 404 && exchange.sent.method === "GET"
      ? { ...exchange, status: 200, body: "<h1>home</h1>" }
      : exchange,
  ),
  breaks("pages-get-no-fallback", ["STATIC-009"], (exchange) =>
    at(exchange, "/pages/orders/7") && exchange.status === 200 ? { ...exchange, status: 404 } : exchange,
  ),
  breaks("redirects-lose-the-query", ["STATIC-010"], (exchange) =>
    exchange.status === 301 ? editHeader(exchange, "Location", "/assets/sub/") : exchange,
  ),
  breaks("folders-are-lists-of-names", ["STATIC-020"], (exchange) =>
    at(exchange, "/assets/sub/") ? { ...exchange, body: "<a>index.html</a>" } : exchange,
  ),
  breaks("everything-is-immutable", ["STATIC-011"], (exchange) =>
    at(exchange, "/pages/digits.txt") && exchange.status === 200
      ? editHeader(exchange, "Cache-Control", "public, max-age=31536000, immutable")
      : exchange,
  ),
  breaks("nothing-is-immutable", ["STATIC-011"], (exchange) =>
    at(exchange, "/assets/app-0123abcd.js") ? editHeader(exchange, "Cache-Control", "public, max-age=60") : exchange,
  ),
  breaks("names-end-where-a-quote-is", ["STATIC-013"], (exchange) =>
    exchange.sent.target.startsWith("/download?name=a%22")
      ? editHeader(exchange, "Content-Disposition", 'attachment; filename="a"; filename="evil.exe"')
      : exchange,
  ),
  breaks("names-have-folders", ["STATIC-021"], (exchange) =>
    exchange.sent.target.startsWith("/download?name=..%2F")
      ? editHeader(exchange, "Content-Disposition", 'attachment; filename="../../up.txt"')
      : exchange,
  ),
  breaks("names-are-ascii", ["STATIC-013"], (exchange) =>
    exchange.sent.target.startsWith("/download?name=%C3%9C")
      ? editHeader(exchange, "Content-Disposition", 'attachment; filename="?bersicht ??.pdf"')
      : exchange,
  ),
  breaks("missing-files-have-a-page-of-their-own", ["STATIC-016"], (exchange) =>
    at(exchange, "/assets/none.txt") ? editHeader(exchange, "Content-Type", "text/html") : exchange,
  ),
  breaks("pages-hide-what-they-depend-on", ["STATIC-017"], (exchange) =>
    at(exchange, "/pages/orders/8") && exchange.status === 404 ? editHeader(exchange, "Vary", "Origin") : exchange,
  ),
];

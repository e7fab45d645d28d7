/** Forms of which parts are lost, changed or believed. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editObject } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

type Part = Readonly<Record<string, unknown>>;

const at = ({ sent }: Exchange, path = "/uploads"): boolean => sent.path === path;

/** Changes the parts that were received. */
const editParts =
  (change: (parts: readonly Part[]) => readonly Part[]): Rewrite =>
  (exchange) =>
    at(exchange) && exchange.status === 200
      ? editObject(exchange, (body) => ({ ...body, parts: change(body["parts"] as readonly Part[]) }))
      : exchange;

/** Responds to the forms whose body is so with that status. */
const responds =
  (status: number, to: (exchange: Exchange) => boolean): Rewrite =>
  (exchange) =>
    at(exchange) && to(exchange) ? { ...exchange, status } : exchange;

const isRejected = ({ status }: Exchange): boolean => status >= 400;
const has = ({ sent }: Exchange, text: string): boolean => sent.body.includes(text);
const isCut = ({ sent }: Exchange): boolean => !sent.body.endsWith("--\r\n");

/** The mutants of this chapter. */
export const multipart = [
  breaks(
    "forms-come-by-name",
    ["MULTI-001", "MULTI-013"],
    editParts((parts) => parts.toSorted((a, b) => String(a["name"]).localeCompare(String(b["name"])))),
  ),
  breaks("pieces-of-forms-are-lost", ["MULTI-002"], (exchange) =>
    at(exchange) && has(exchange, "--b--") ? editObject(exchange, () => ({ parts: [] })) : exchange,
  ),
  breaks(
    "other-types-are-forms",
    ["MULTI-003"],
    responds(200, ({ status }) => status === 415),
  ),
  breaks(
    "half-a-form-is-a-form",
    ["MULTI-004"],
    responds(200, (exchange) => isRejected(exchange) && isCut(exchange)),
  ),
  breaks(
    "forms-have-no-limits",
    ["MULTI-005"],
    responds(200, ({ status }) => status === 413),
  ),
  breaks(
    "names-of-parts-have-no-end",
    ["MULTI-006"],
    responds(200, (exchange) => isRejected(exchange) && has(exchange, "n".repeat(256))),
  ),
  breaks("files-are-read-when-they-are-over", ["MULTI-008"], (exchange) =>
    at(exchange, "/uploads/skipped")
      ? editObject(exchange, (body) => ({ ...body, codes: (body["codes"] as readonly string[]).map(() => "") }))
      : exchange,
  ),
  breaks("connections-end-with-the-first-part", ["MULTI-009"], (exchange) =>
    at(exchange, "/uploads/first") ? { ...exchange, cut: "truncate" } : exchange,
  ),
  breaks(
    "files-are-called-as-their-senders-say",
    ["MULTI-011"],
    editParts((parts) =>
      parts.map((part) => {
        const file = part["file"] as Part | undefined;
        return file === undefined ? part : { ...part, file: { ...file, filename: file["rawFilename"] } };
      }),
    ),
  ),
  breaks(
    "prototypes-have-no-names",
    ["MULTI-013"],
    editParts((parts) => parts.filter(({ name }) => name !== "__proto__")),
  ),
  breaks("fields-of-forms-are-texts", ["MULTI-014"], (exchange) =>
    at(exchange, "/uploads/form") && exchange.status === 200
      ? editObject(exchange, (body) => ({ ...body, copies: String(body["copies"]) }))
      : exchange,
  ),
  breaks("forms-are-rejected-at-the-first-issue", ["MULTI-015"], (exchange) =>
    at(exchange, "/uploads/form") && exchange.status === 422
      ? editObject(exchange, (body) => ({ ...body, errors: (body["errors"] as readonly unknown[]).slice(0, 1) }))
      : exchange,
  ),
  breaks(
    "parts-need-no-disposition",
    ["MULTI-018"],
    responds(200, (exchange) => isRejected(exchange) && has(exchange, "value\r\n")),
  ),
];

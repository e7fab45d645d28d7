/** A place of a value in words. */

import type { Occurrence, OriginPart } from "../../run/origin.ts";
import { KINDS } from "../../run/spent.ts";

const parts: Readonly<Record<OriginPart, string>> = {
  request: "in the request",
  argument: "given to",
  statement: "sent in a statement by",
  rows: "read from rows by",
  leaf: "in an operation of",
  result: "returned by",
  error: "in the error of",
  response: "in the response",
};

/** `in the request`, `given to`, `HTTP by`; the name of the call follows. */
export const placeText = ({ part, leaf }: Pick<Occurrence, "part" | "leaf">): string =>
  part === "leaf" && leaf !== null ? `in ${KINDS[leaf.kind][0]} of` : parts[part];

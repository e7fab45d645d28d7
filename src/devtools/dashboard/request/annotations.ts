/**
 * The annotations of middleware in a run, as sentences. Pure.
 *
 *   { name: "compression", value: { coding: "br", before: 12400, after: 2100 } } ──▶ "By br: 12.4 kB → 2.1 kB, 83 % saved"
 *
 * An annotation of other middleware, or an incomplete one, has no sentence, so its value is shown.
 */

import type { Annotation, Json, JsonObject } from "../../run/shapes.ts";
import { objectOf } from "../forms/schema.ts";
import { count, duration, size } from "../../run/format.ts";
import { isNumber, textOf } from "../../run/values.ts";

/** An annotation to read. */
export interface ReadAnnotation {
  readonly title: string;
  /** Undefined if only its value is shown. */
  readonly text: string | undefined;
  readonly value: Json;
}

/** An annotation with its title, and its sentence if there is one. */
export function readAnnotation({ name, value }: Annotation): ReadAnnotation {
  const [title, sentence] = Object.hasOwn(KNOWN, name) ? (KNOWN[name] ?? []) : [];
  const text = sentence?.(objectOf(value));
  return title === undefined || text === undefined ? { title: name, text: undefined, value } : { title, text, value };
}

/** The last annotation of that name. */
export const annotationOf = (all: readonly Annotation[] | undefined, name: string): Annotation | undefined =>
  all?.findLast((one) => one.name === name);

type Sentence = (value: JsonObject) => string | undefined;

const KNOWN: Readonly<Record<string, readonly [title: string, sentence: Sentence]>> = {
  rateLimit: ["Rate limit", rateLimit],
  idempotency: ["Idempotency", idempotency],
  cache: ["Cache", cache],
  conditional: ["Conditional request", conditional],
  compression: ["Compression", compression],
  session: ["Session", session],
  webSocket: ["WebSocket", webSocket],
  agent: [
    "Agent",
    ({ agent = "", tool = "", thread = "" }) => `${textOf(agent)}: ${textOf(tool)}, thread:${textOf(thread)}`,
  ],
};

function rateLimit({ policy, key, allowed, remaining, burst, resetMs, retryMs }: JsonObject): string | undefined {
  if (!isNumber(remaining) || !isNumber(burst) || !isNumber(resetMs) || !isNumber(retryMs)) return undefined;
  const left = `${remaining} of ${burst} left in the bucket of ${textOf(key ?? "")}, full in ${duration(resetMs * 1_000)}`;
  const verdict = allowed === true ? "allowed" : `rejected, allowed again in ${duration(retryMs * 1_000)}`;
  return `${textOf(policy ?? "")}: ${verdict}; ${left}`;
}

function idempotency({ key, outcome }: JsonObject): string | undefined {
  if (typeof outcome !== "string") return undefined;
  return key === undefined ? outcome : `${outcome}, key ${textOf(key)}`;
}

function cache({ outcome, why, ageS, ttlS, stored }: JsonObject): string | undefined {
  if (typeof outcome !== "string") return undefined;
  const parts = [outcome, typeof why === "string" ? `(${why})` : "", stored === true ? "and stored" : ""];
  const times = isNumber(ageS) && isNumber(ttlS) ? `, ${ageS} s old, ${ttlS} s left` : "";
  return parts.filter(Boolean).join(" ") + times;
}

function conditional({ outcome, by, value, etag, lastModified }: JsonObject): string | undefined {
  if (typeof by !== "string" || typeof outcome !== "string") return undefined;
  const isDate = by.endsWith("-Since");
  const there = isDate
    ? `Last-Modified is ${textOf(lastModified ?? "unknown")}`
    : `ETag is ${textOf(etag ?? "missing")}`;
  return `${VERDICTS[outcome] ?? outcome}: ${by} has ${textOf(value ?? "")}, the ${there}`;
}

const VERDICTS: Readonly<Record<string, string>> = {
  notModified: "not modified",
  failed: "the condition failed",
  met: "sent whole",
};

function compression({ coding, before, after, inPieces }: JsonObject): string | undefined {
  if (typeof coding !== "string") return undefined;
  if (inPieces === true) return `by ${coding}, as it was sent`;
  if (!isNumber(before) || !isNumber(after)) return undefined;
  const saved = before === 0 ? 0 : Math.round((1 - after / before) * 100);
  return `by ${coding}: ${size(before)} → ${size(after)}, ${saved} % saved`;
}

function session({ found, lost, outcome, values }: JsonObject): string | undefined {
  if (typeof outcome !== "string") return undefined;
  const keys = Object.keys(objectOf(values)).filter((key) => key !== "$truncated");
  const before = lost === true ? "not readable, since its store failed" : found === true ? "found" : "none before";
  const holds = keys.length === 0 ? "it is empty" : `it holds ${keys.join(", ")}`;
  return `${before}, ${OUTCOMES[outcome] ?? outcome}; ${holds}`;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  none: "unchanged",
  created: "a new one was created",
  updated: "it was changed",
  regenerated: "it has a new id",
  destroyed: "it was ended",
};

function webSocket({ code, reason, by, messages, sentBytes }: JsonObject): string | undefined {
  if (!isNumber(code) || !isNumber(messages) || !isNumber(sentBytes)) return undefined;
  const why = typeof reason === "string" && reason ? ` (${reason})` : "";
  return `closed by the ${textOf(by ?? "client")} with ${code}${why}; ${count(messages, "message")} came, ${size(sentBytes)} were sent`;
}

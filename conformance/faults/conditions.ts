/**
 * Conditions as data. Each says which labels apply to a message, or to a place in a document. A condition is one of these
 * labels, seen in the messages of the conformant subject.
 *
 *   header vary: missing       ──method──▶     header vary, method HEAD: missing
 *                              ──endpoint──▶   header vary, of /cached: missing · …
 *   Trace.calls[].error: null  ──beside it──▶  Trace.calls[].error, where status is 500: null
 */
import { isObservation, type Exchange } from "../kit/exchange.ts";
import { headerOf } from "../kit/mutant.ts";
import type { Place } from "./changes.ts";
import { areaOf } from "./of-messages.ts";

/** The part of a message that a condition reads. A stream item uses that of its response. */
export type Message = Pick<Exchange, "sent" | "status" | "headers" | "earlier">;

type Labels = (message: Message) => readonly string[];

/** The request headers that a response may depend on. */
const asked =
  /^(?:accept(?:-.*)?|access-control-request-.*|authorization|content-(?:encoding|type)|cookie|if-.*|origin|range|sec-fetch-.*|x-forwarded-.*)$/;

/** The forms of a header's value that implementations forget. */
const forms: readonly (readonly [string, RegExp])[] = [
  ["of several members", /[,;]\s*\S/],
  ["of one member", /^[^,;]+$/],
  ["that is weak", /^W\//],
  ["that is strong", /^"/],
  ["that is *", /^(?:\*|\*\/\*)$/],
  ["with a weight", /;\s*q=/],
  ["in capitals", /^[^a-z]*[A-Z][^a-z]*$/],
];

const optional = ["accept", "accept-encoding", "authorization", "content-type", "cookie", "if-none-match", "origin"];

const namesOf = ({ sent: { headers } }: Message): readonly string[] => [
  ...new Set(headers.map(([name]) => name.toLowerCase()).filter((name) => asked.test(name))),
];

/** The kinds of condition that a message can meet. */
export const ofMessages: Readonly<Record<string, Labels>> = {
  method: ({ sent: { method } }) => [`method ${method}`],
  status: ({ status }) => [`status ${status}`],
  "status class": ({ status }) => [`status ${Math.trunc(status / 100)}xx`],
  "method and status": ({ sent: { method }, status }) => [`method ${method}, status ${status}`],
  endpoint: (message) => {
    const [door] = /^\/[a-z]+\/[a-z-]+(?=\/|$)/.exec(message.sent.path) ?? [];
    return [`of ${areaOf(message)}`, ...(door === undefined ? [] : [`of ${door}`])];
  },
  "a request header": (message) => namesOf(message).map((name) => `with ${name}`),
  "no request header": (message) =>
    optional.filter((name) => !namesOf(message).includes(name)).map((name) => `without ${name}`),
  "the form of a request header": (message) =>
    namesOf(message).flatMap((name) => {
      const value = headerOf(message.sent.headers, name) ?? "";
      return forms.flatMap(([form, isIt]) => (isIt.test(value) ? [`with ${name} ${form}`] : []));
    }),
  "what is sent": ({ sent: { body, target } }) => [
    body === "" ? "without a body" : "with a body",
    target.includes("?") ? "with a query" : "without a query",
  ],
  occurrence: (message) => (!isObservation(message) && (message.earlier ?? 0) > 0 ? ["once more"] : []),
  tag: ({ headers }) => {
    const tag = headerOf(headers, "etag");
    return tag === undefined ? [] : [tag.startsWith("W/") ? "of a weak tag" : "of a strong tag"];
  },
};

/** The kinds that a document can meet, independent of the request. */
export const ofDocuments: Readonly<Record<string, Labels>> = Object.fromEntries(
  Object.entries(ofMessages).filter(([by]) => ["method", "status", "endpoint", "occurrence"].includes(by)),
);

/** The kinds of condition that the lines of one header can meet. */
export const ofLines: Readonly<Record<string, (value: string) => readonly string[]>> = {
  "the form of the header": (value) => forms.flatMap(([form, isIt]) => (isIt.test(value) ? [form] : [])),
  "the value of the header": (value) => [`that says ${value}`],
};

/** The kinds of condition that a value in a document can meet; `marks` are the members that distinguish documents. */
export const ofPlaces: Readonly<
  Record<string, (value: unknown, place: Place, marks: ReadonlySet<string>) => readonly string[]>
> = {
  position: (_, { at, size }) =>
    size === 0 ? [] : size === 1 ? ["the only one"] : [at === 0 ? "the first of several" : "behind the first"],
  "the size of a list": (value) => {
    if (typeof value !== "object" || value === null) return [];
    const size = Object.keys(value).length;
    return size === 0 ? [] : [size === 1 ? "of one" : "of several"];
  },
  "one of two values": (value) =>
    typeof value === "boolean"
      ? [`that is ${String(value)}`]
      : typeof value === "number"
        ? [value === 0 ? "that is zero" : value === 1 ? "that is one" : "that is more than one"]
        : [],
  "beside it": (_, { owners }, marks) =>
    owners.flatMap((owner) =>
      Object.entries(owner).flatMap(([name, value]) =>
        marks.has(name) && (value === null || typeof value !== "object") ? [`where ${name} is ${String(value)}`] : [],
      ),
    ),
};

/** A header with more values than this is an id, a time or a text, so no single value makes a condition. */
const valuesAtMost = 4;

/** The indexes for each kind and label, without labels that apply to all, and without duplicates. */
export function partition<T>(
  all: readonly T[],
  kinds: Readonly<Record<string, (one: T) => readonly string[]>>,
): readonly { readonly by: string; readonly label: string; readonly among: ReadonlySet<number> }[] {
  const known = new Set<string>();
  return Object.entries(kinds).flatMap(([by, labelsOf]) => {
    const found = new Map<string, Set<number>>();
    for (const [at, one] of all.entries())
      for (const label of labelsOf(one)) found.set(label, (found.get(label) ?? new Set()).add(at));
    if (by === "the value of the header" && found.size > valuesAtMost) return [];
    return [...found].flatMap(([label, among]) => {
      const same = [...among].join(" ");
      if (among.size === all.length || known.has(same)) return [];
      known.add(same);
      return [{ by, label, among }];
    });
  });
}

/**
 * Faults of the shapes: each field of each shape, wrong in each way of its form.
 *
 *   spec/*.ts ──fields──┐
 *   what passed ─values─┴──▶ AccessLogLine.time: always the same · Trace.calls[].durationUs: ×1,000 · …
 */
import { isDeepStrictEqual } from "node:util";
import type { RelayedItem } from "../kit/relay.ts";
import type { Exchange, StreamStep } from "../kit/exchange.ts";
import { changesOf, type Change, type Place } from "./changes.ts";
import type { Holder, Shape } from "./documents.ts";
import { nothing, type Fault } from "./fault.ts";
import { fieldsOf, pathText, sitesOf, type Field, type Path, type Site } from "./fields.ts";

/** The messages of the conformant subject. */
export interface Seen {
  readonly exchanges: readonly Exchange[];
  readonly steps: readonly StreamStep[];
}

/** One field with the change that makes it wrong. A field that was never seen has the kind `unseen`. */
export interface BrokenField extends Pick<Fault, "chapter" | "target" | "kind"> {
  readonly path: Path;
  readonly change: Change | undefined;
}

/** The faults of a shape. */
export function faultsOfShape(shape: Shape, seen: Seen): readonly Fault[] {
  return brokenFields(shape, seen).map(({ chapter, target, kind, path, change }) => ({
    chapter,
    target,
    kind,
    ...(change === undefined ? nothing : relayOf(shape, path, change)),
  }));
}

/** Every field of a shape, wrong in every way. */
export function brokenFields(shape: Shape, seen: Seen): readonly BrokenField[] {
  const fields = fieldsOf(shape.schema).flatMap((field) => [field, ...membersOf(field, shape, seen)]);
  const unseen: string[] = [];
  return fields.flatMap((field): readonly BrokenField[] => {
    const { path } = field;
    const target = shape.name + pathText(path);
    if (unseen.some((above) => target.startsWith(above))) return [];
    const found = samplesOf(shape, path, seen);
    const samples = found.length > 0 ? found : invented(field);
    const chapter = path[0] === "leaves" ? "leaves" : shape.chapter;
    if (samples.length === 0) {
      unseen.push(target);
      return isItem(field) ? [] : [{ chapter, target, kind: "unseen", path, change: undefined }];
    }
    return Object.entries(changesOf(field, samples)).map(([kind, change]) => ({ chapter, target, kind, path, change }));
  });
}

/** For a record with names of the shape, such as the attributes of a span: each member that was seen. */
function membersOf({ form, isNamed, path, ...field }: Field, shape: Shape, seen: Seen): readonly Field[] {
  if (form !== "record" || !isNamed) return [];
  const owners = samplesOf(shape, path, seen, Infinity);
  const names = [...new Set(owners.flatMap((owner) => Object.keys(owner as object)))];
  return names.toSorted().map((name) => ({ ...field, isNamed, form: "any", path: [...path, name] }));
}

/** A value for a field that was seen without one, if at all. */
function invented({ form, choices }: Field): readonly unknown[] {
  if (form === "choice") return choices.slice(0, 1);
  if (form === "number") return [1];
  return form === "text" ? ["made up"] : form === "boolean" ? [true] : [];
}

/** Is it an item, or a member of any name? If none was seen, the empty list is checked instead. */
const isItem = ({ path }: Field): boolean => /^[[{]/.test(path.at(-1) ?? "");

/** The first few different values of a field. */
function samplesOf(shape: Shape, path: Path, { exchanges, steps }: Seen, most = 3): readonly unknown[] {
  const found = new Map<string, unknown>();
  const add = (value: unknown, at: Path): void => {
    for (const { owner, key } of sitesOf(value, [...at, ...path])) {
      const there = owner[key];
      if (there !== undefined && there !== null && found.size < most) found.set(JSON.stringify(there), there);
    }
  };
  for (const exchange of exchanges)
    for (const { at } of holdersOf(shape, exchange)) if (found.size < most) add(parsed(exchange), at);
  for (const step of steps) if (isEventOf(shape, step) && found.size < most) add(textAsJson(step.item.data), []);
  return [...found.values()];
}

/** The places of the shape in the response. */
export const holdersOf = ({ holders }: Shape, exchange: Exchange): readonly Holder[] =>
  holders.filter((holder) => holder.matches(exchange));

/** Is it an event with data of the shape? */
export const isEventOf = ({ event }: Shape, { item }: StreamStep): boolean =>
  event !== undefined && item.kind === "event" && item.event === event;

/** Changes the values at the path, for every place of the shape. */
export function relayOf(shape: Shape, path: Path, change: Change): Pick<Fault, "rewrite" | "rewriteItem"> {
  return {
    rewrite(exchange) {
      const ways = holdersOf(shape, exchange).map(({ at }) => [...at, ...path]);
      const body = ways.length === 0 ? undefined : changedText(exchange.body, parsed(exchange), ways, change);
      return body === undefined ? exchange : { ...exchange, body };
    },
    rewriteItem(step): readonly RelayedItem[] {
      if (!isEventOf(shape, step)) return [step.item];
      const data = changedText(step.item.data, textAsJson(step.item.data), [path], change);
      return [data === undefined ? step.item : { ...step.item, data }];
    },
  };
}

/** The text with the value changed at each path, or undefined if that makes no difference. */
function changedText(text: string, value: unknown, ways: readonly Path[], change: Change): string | undefined {
  const isChanged = ways.some((way) => outcomes(value, way, change).some(([site, to]) => differs(site, to)));
  if (!isChanged) return undefined;
  // Parsed again, so that the value of other readers stays unchanged.
  const holder = [JSON.parse(text) as unknown];
  for (const way of ways)
    for (const [{ owner, key }, to] of outcomes(holder, ["[]", ...way], change)) {
      if (to === undefined) delete owner[key];
      else owner[key] = to;
    }
  return JSON.stringify(holder[0]);
}

const differs = ({ owner, key }: Site, to: unknown): boolean => !isDeepStrictEqual(owner[key], to);

/** The changed value of the field at each place. */
function outcomes(value: unknown, path: Path, change: Change): readonly (readonly [Site, unknown])[] {
  const sites = sitesOf(value, path);
  return sites.map((site, index) => [site, change(site.owner[site.key], placeOf(site, index, sites))]);
}

/** What a change may know of the site at that index, among its siblings. */
export function placeOf({ owner, owners, list, at }: Site, index: number, sites: readonly Site[]): Place {
  if (list === undefined) return { owner, owners, at, size: 0, neighbour: undefined };
  const before = sites[index - 1];
  const near = before?.list === list ? before : sites.findLast((one) => one.list === list);
  return { owner, owners, at, size: list.length, neighbour: near?.owner[near.key] };
}

const known = new WeakMap<Exchange, { readonly value: unknown }>();

/** The body as JSON, parsed once, or undefined if it is not JSON. */
export function parsed(exchange: Exchange): unknown {
  const found = known.get(exchange) ?? { value: textAsJson(exchange.body) };
  known.set(exchange, found);
  return found.value;
}

/** The text as JSON, or undefined if it is not JSON. */
export function textAsJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

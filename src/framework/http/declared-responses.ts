/**
 * The declared responses of a route, ready for sending.
 *
 *   a handler's value ──▶ the declaration of its status ──▶ Content-Type, shape, rows, events ──▶ recorded
 *   recorded response ──▶ its status and media type ──▶ as declared, or a broken contract
 *
 * Spec: spec/contracts.md
 */
import type { Contract } from "../contract/contract.ts";
import { isResponseBody, type ResponseBody, rowTypes } from "../contract/declared-body.ts";
import { jsonSchemaOf } from "../contract/json-schema.ts";
import { documentedChecker } from "../contract/documented.ts";
import { type Checked, isRejected, listed, type Schema } from "../contract/schema.ts";
import { serializerOf, shapeOf, type ShapeSettings } from "../contract/shape.ts";
import { textOrJson } from "../contract/text-or-json.ts";
import type { ProblemIssue } from "../internal/errors.ts";
import { isThenable } from "../internal/thenable.ts";
import type { Context } from "./context.ts";
import { isJson, mediaTypeOf } from "./headers.ts";
import type { SseEvent } from "./sse.ts";

/**
 * What happens to a response with a contract. `shape` sends the value as its schema returns it. `warn` and `enforce` send it
 * unchanged, or not at all if it breaks the contract.
 */
export type ResponseChecks = "off" | "shape" | "warn" | "enforce";

/** Gets a broken contract. @param isFatal must it not be sent? @throws Error when it must not be sent. */
export type BrokenContract = (ctx: Context, issues: readonly ProblemIssue[], isFatal: boolean) => void;

/** How one status is sent. `either` is a text for a string, else JSON. */
export interface DeclaredResponse {
  readonly kind: "json" | "text" | "either" | "bytes" | "stream" | "events" | "redirect" | "empty";
  /** The Content-Type by default. Empty without content. */
  readonly type: string;
  /** The value to send in place of the handler's. @throws Error when the schema rejects it. */
  readonly shape: ((ctx: Context, value: unknown) => unknown) | undefined;
  /** The JSON of the value, by the app's serializer. It takes the place of `shape`. @throws Error when it cannot be written. */
  readonly serialize: ((ctx: Context, value: unknown) => string) | undefined;
  /** The text of a row of a stream. @throws Error when the schema rejects it and it must not be sent. */
  readonly row: ((ctx: Context, row: unknown) => string) | undefined;
  /** A declared event as it is sent. @throws Error when it is not declared and must not be sent. */
  readonly event: ((ctx: Context, event: unknown) => SseEvent) | undefined;
}

/** The declared responses of a route by status. */
export class DeclaredResponses {
  readonly #byStatus: ReadonlyMap<number, DeclaredResponse>;
  readonly #broken: BrokenContract | undefined;

  /** @param broken gets a response of another status or media type. Undefined when the responses are checked elsewhere, or not */
  constructor(byStatus: ReadonlyMap<number, DeclaredResponse>, broken: BrokenContract | undefined) {
    this.#byStatus = byStatus;
    this.#broken = broken;
  }

  /** The declaration of a status. */
  of(status: number): DeclaredResponse | undefined {
    return this.#byStatus.get(status);
  }

  /** Does any of them send events? */
  get hasEvents(): boolean {
    return [...this.#byStatus.values()].some(({ kind }) => kind === "events");
  }

  /** Reports a recorded response with an undeclared status or media type. */
  check(ctx: Context, sent: SentHead): void {
    const issue = this.#broken === undefined ? undefined : this.issueOf(sent);
    if (issue !== undefined) this.#broken?.(ctx, issueList(issue), false);
  }

  /** The issue of a response with an undeclared status or media type. */
  issueOf({ status, contentType, isEmpty }: SentHead): string | undefined {
    const declared = this.#byStatus.get(status);
    const type = contentType === undefined ? undefined : mediaTypeOf(contentType);
    if (declared === undefined) {
      if (status === 304 || (status >= 400 && type === "application/problem+json")) return undefined;
      return `the status ${status} is not in the contract, which names ${[...this.#byStatus.keys()].join(", ")}`;
    }
    const { kind } = declared;
    if (kind === "redirect") return undefined;
    if (kind === "empty") return isEmpty ? undefined : `no content was declared for ${status}`;
    if (isEmpty) return `${status} was sent without content`;
    if (kind === "json" || kind === "either") {
      if (type !== undefined && (isJson(type) || (kind === "either" && type === "text/plain"))) return undefined;
      return `${status} was sent as ${type ?? "nothing"}, and application/json was declared`;
    }
    const wanted = mediaTypeOf(declared.type);
    return type === wanted ? undefined : `${status} was sent as ${type ?? "nothing"}, and ${wanted} was declared`;
  }
}

/** The head of a recorded response. */
export interface SentHead {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly isEmpty: boolean;
}

/** The settings of declared responses. */
export interface DeclaredSettings extends ShapeSettings {
  readonly responseChecks: ResponseChecks;
  readonly broken: BrokenContract;
}

/**
 * The declared responses of a route. Undefined when its contracts, the outermost first, declare none.
 *
 * @throws TypeError (`CONTRACT_INVALID`) naming the route when a JSON Schema cannot be compiled.
 */
export function declaredResponses(
  where: string,
  contracts: readonly Contract[],
  settings: DeclaredSettings,
): DeclaredResponses | undefined {
  const byStatus = new Map<number, DeclaredResponse>();
  for (const { responses = {} } of contracts)
    for (const [status, declared] of Object.entries(responses))
      byStatus.set(Number(status), responseOf(`${where}: its response ${status}`, declared, settings));
  if (byStatus.size === 0) return undefined;
  return new DeclaredResponses(byStatus, settings.responseChecks === "shape" ? settings.broken : undefined);
}

const withoutContent = {
  kind: "empty",
  type: "",
  shape: undefined,
  serialize: undefined,
  row: undefined,
  event: undefined,
} as const;

function responseOf(
  what: string,
  declared: Schema | ResponseBody | null,
  settings: DeclaredSettings,
): DeclaredResponse {
  if (declared === null) return withoutContent;
  if (!isResponseBody(declared)) return ofSchema(what, declared, settings);
  const { "~body": kind, type, row, events } = declared;
  return {
    ...withoutContent,
    kind,
    type,
    row: row === undefined ? undefined : rowText(type, itemJson(`${what}: a row`, row, settings)),
    event: events === undefined ? undefined : eventOf(what, events, settings),
  };
}

function ofSchema(what: string, schema: Schema, settings: DeclaredSettings): DeclaredResponse {
  const { jsonSchemaOf: convert, responseChecks, broken } = settings;
  const kind = textOrJson(jsonSchemaOf(schema, "output", convert));
  const type = kind === "text" ? "text/plain; charset=utf-8" : "application/json";
  if (responseChecks !== "shape") return { ...withoutContent, kind, type };
  const shape = shapeOf(what, schema, settings);
  return {
    ...withoutContent,
    kind,
    type,
    shape: (ctx, value) => accepted(ctx, shape(value), broken),
    serialize: kind === "json" ? written(what, schema, settings) : undefined,
  };
}

/** The app's serializer of a schema, with its errors as broken contracts. Undefined without one. */
function written(what: string, schema: Schema, settings: DeclaredSettings): DeclaredResponse["serialize"] {
  const serialize = serializerOf(what, schema, settings);
  if (serialize === undefined) return undefined;
  return function serialized(ctx, value) {
    try {
      return serialize(value);
    } catch (error) {
      settings.broken(ctx, issueList(error instanceof Error ? error.message : String(error)), true);
      throw error;
    }
  };
}

/** The value of a checked one. @throws Error for a rejected one. */
function accepted(ctx: Context, checked: Checked, broken: BrokenContract): unknown {
  if (!isRejected(checked)) return checked.value;
  broken(ctx, listed([[undefined, checked.issues]])[0], true);
  return undefined;
}

/** Turns an item of a stream into JSON, by the mode of the checks. */
type ItemJson = (ctx: Context, item: unknown) => string;

/** The JSON of the items that a schema describes. */
export function itemJson(what: string, schema: Schema, settings: DeclaredSettings): ItemJson {
  const { responseChecks: mode, broken } = settings;
  if (mode === "off") return (_ctx, item) => jsonOf(item);
  if (mode === "shape") {
    const serialize = written(what, schema, settings);
    if (serialize !== undefined) return serialize;
    const shape = shapeOf(what, schema, settings);
    return (ctx, item) => jsonOf(accepted(ctx, shape(item), broken));
  }
  const check = documentedChecker(what, schema, settings);
  return function checkedJson(ctx, item) {
    const text = jsonOf(item);
    const checked = check(JSON.parse(text));
    if (!isThenable(checked) && isRejected(checked))
      broken(ctx, listed([[undefined, checked.issues]])[0], mode === "enforce");
    return text;
  };
}

/** @throws TypeError when it has no JSON. */
function jsonOf(item: unknown): string {
  const text: string | undefined = JSON.stringify(item);
  if (text === undefined) throw new TypeError(`a value of type ${typeof item} has no JSON`);
  return text;
}

function rowText(type: string, json: ItemJson): ItemJson {
  const [before = "", after = ""] = rowTypes.get(type) ?? [];
  return (ctx, row) => before + json(ctx, row) + after;
}

function eventOf(
  what: string,
  events: Readonly<Record<string, Schema>>,
  settings: DeclaredSettings,
): NonNullable<DeclaredResponse["event"]> {
  const { responseChecks: mode, broken } = settings;
  const named = new Map(
    Object.entries(events).map(([name, schema]) => [name, itemJson(`${what}: its event ${name}`, schema, settings)]),
  );
  const known = [...named.keys()].join(", ");
  return function declaredEvent(ctx, given) {
    const { event, data, id, retry } = Object(given) as Readonly<Record<string, unknown>>;
    const json = typeof event === "string" ? named.get(event) : undefined;
    if (json === undefined && mode !== "off")
      broken(
        ctx,
        issueList(`the event ${JSON.stringify(event)} is not in the contract, which names ${known}`),
        mode !== "warn",
      );
    return { event, data: json === undefined ? textOf(data) : json(ctx, data), id, retry } as SseEvent;
  };
}

const textOf = (data: unknown): string => (typeof data === "string" ? data : jsonOf(data));

/** One issue about a response as a whole. */
export const issueList = (message: string): readonly ProblemIssue[] => [{ path: [], pointer: "", message }];

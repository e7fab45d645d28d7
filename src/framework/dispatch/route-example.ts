/**
 * An example request of a route, which tools such as the dashboard's editor fill in. No request is checked against it.
 *
 *   { path: { id: 7 }, query: { tag: ["a", "b"] }, body: { text: "hi" } } ──checked at registration──▶ RouteInfo.example
 *
 * Spec: spec/routing.md
 */
import { usageError } from "../internal/usage-errors.ts";
import { didYouMean } from "../internal/suggestion.ts";

type Text = string | number | boolean;

/** An example request, as the options of a route have it. */
export interface RouteExample {
  /** Values of the path parameters. */
  readonly path?: Readonly<Record<string, string | number>> | undefined;
  /** Values of the query parameters. A list for a repeated one. */
  readonly query?: Readonly<Record<string, Text | readonly Text[]>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
}

/** An example request as tools get it. */
export interface ExampleRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value. A text is sent as it is. Absent without a body. */
  readonly body?: unknown;
}

const parts = ["path", "query", "headers", "body"] as const;

/** @throws TypeError naming the route when the example has an impossible part, path parameter or body. */
export function checkExample(where: string, example: unknown, names: readonly string[]): void {
  const fault = faultOf(example, names);
  if (fault !== undefined) throw usageError("ROUTE_OPTIONS", `${where} has an example ${fault}`);
}

function faultOf(example: unknown, names: readonly string[]): string | undefined {
  if (!isObject(example)) return `that is ${JSON.stringify(example) ?? typeof example}: an object is allowed`;
  const part = Object.keys(example).find((name) => !parts.some((known) => known === name));
  if (part !== undefined)
    return `with the part ${JSON.stringify(part)}: ${parts.join(", ")} are allowed${didYouMean(part, parts)}`;
  for (const name of ["path", "query", "headers"] as const)
    if (example[name] !== undefined && !isObject(example[name])) return `whose ${name} is no object`;
  const unknown = Object.keys(example["path"] ?? {}).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
    return `with the path parameter ${JSON.stringify(unknown)}: ${known}${didYouMean(unknown, names)}`;
  }
  return hasJsonForm(example["body"]) ? undefined : "whose body has no JSON form";
}

/** The example with every value as text. */
export function exampleRequest({ path = {}, query = {}, headers = {}, body }: RouteExample): ExampleRequest {
  const texts = Object.entries(query).map(([name, value]) => [name, [value].flat().map(String)] as const);
  return {
    path: Object.fromEntries(Object.entries(path).map(([name, value]) => [name, String(value)])),
    query: Object.fromEntries(texts),
    headers: { ...headers },
    ...(body === undefined ? {} : { body: JSON.parse(JSON.stringify(body)) as unknown }),
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, object | undefined>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function hasJsonForm(body: unknown): boolean {
  try {
    return body === undefined || JSON.stringify(body) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Fields: the names that a search can use, and their operators.
 *
 *   bean:OrderRepository   arg.id=7   status:5xx   dur>20ms   is:failed
 *   └─┬─┘└ operator        └┬─┘ path  └ codes      └ time     └ word
 *   field                  field
 *
 * A table, so that the parser, the page's help and the guide name the same fields.
 *
 * Spec: spec/search.md
 */

import type { RunKind } from "../shapes.ts";

/** The sign between a field and its value. `:` means "contains", or the field's own way to match. */
export type Operator = ":" | "=" | "!=" | ">" | ">=" | "<" | "<=";

/** How the value of a field is read, and what it is compared with. */
export type FieldKind = "call" | "values" | "leaf" | "mark" | "text" | "number" | "codes" | "time" | "word" | "run";

/** One field. */
export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  /** Whether a path can follow its name, as in `arg.customer.id`. */
  readonly hasPath: boolean;
  readonly operators: readonly Operator[];
  /** One line for a list of fields. */
  readonly help: string;
  readonly example: string;
}

const texts: readonly Operator[] = [":", "=", "!="];
const numbers: readonly Operator[] = [">", ">=", "<", "<="];
const all: readonly Operator[] = [...texts, ...numbers];

const field = (
  name: string,
  kind: FieldKind,
  operators: readonly Operator[],
  [help, example]: readonly [help: string, example: string],
): Field => ({ name, kind, hasPath: kind === "values", operators, help, example });

/** Every field, in the order of a list for people. */
export const fields: readonly Field[] = [
  field("bean", "call", texts, ["a bean that was called", "bean:OrderRepository"]),
  field("method", "call", texts, ["a method that was called, or the request's", "method:find"]),
  field("arg", "values", all, ["an argument of a call, by the parameter's name or place", "arg.id=7"]),
  field("result", "values", all, ["what a call returned", "result.total>100"]),
  field("took", "time", numbers, ["how long a call took", "took>5ms"]),
  field("status", "codes", all, ["the status of the response", "status:5xx"]),
  field("dur", "time", numbers, ["how long the run took", "dur>20ms"]),
  field("path", "text", texts, ["the path of the request, or the name of the work", "path:/orders"]),
  field("route", "text", texts, ["the route, with its method or without", 'route:"GET /orders/{id}"']),
  field("error", "text", texts, ["what was thrown, its name or its message", "error:TypeError"]),
  field("param", "values", all, ["a parameter of the path", "param.id=7"]),
  field("query", "values", all, ["a parameter of the query", "query.page=2"]),
  field("header", "values", all, ["a header of the request or the response", "header.accept:json"]),
  field("body", "values", all, ["the body of the request", "body.item=tea"]),
  field("response", "values", all, ["the body of the response", "response.total>100"]),
  field("sql", "leaf", texts, ["a statement", 'sql:"update orders"']),
  field("http", "leaf", texts, ["a request to another service", "http:api.example"]),
  field("cache", "leaf", texts, ["a command to a cache", "cache:get"]),
  field("log", "leaf", texts, ["a line that was logged", "log:timeout"]),
  field("message", "leaf", texts, ["a message that was sent", "message:orders"]),
  field("span", "leaf", texts, ["a span of OpenTelemetry", "span:pg.query"]),
  field("leaf", "leaf", texts, ["anything below a call, whatever its kind", "leaf:orders"]),
  field("kind", "run", [":"], ["what a run is: request, job, background, trace or websocket", "kind:job"]),
  field("job", "text", texts, ["the name of a job, of its attempts", "job:send-invoice"]),
  field("attempt", "number", all, ["which attempt at its job a run is", "attempt>1"]),
  field("id", "text", texts, ["the id of the request or the job, the correlation id, or instance.sequence", "id:7f3a"]),
  field("session", "text", texts, ["the process, by the beginning of its instance", "session:7f3a"]),
  field("agent", "mark", texts, ["the agent that called a tool", "agent:claude-code"]),
  field("tool", "mark", texts, ["the tool that an agent called", "tool=search-products"]),
  field("thread", "mark", texts, ["the conversation of an agent", "thread:3f2a90c1b7de"]),
  field("is", "word", [":"], ["a word for what a run is", "is:failed"]),
];

/** By name. */
export const fieldNamed: ReadonlyMap<string, Field> = new Map(fields.map((one) => [one.name, one]));

/** The words of `is:`, each with its meaning. */
export const words: Readonly<Record<string, string>> = {
  mine: "sent by the page",
  failed: "ended with a status of 500 or more, or with an error",
  aborted: "its client left",
  broken: "its response breaks its contract",
  unmatched: "a request that no route took",
  request: "a request",
  background: "work of the application beside requests",
  trace: "work that devtools.trace was given",
  job: "an attempt at a job",
  dead: "an attempt after which its job was a dead letter",
};

/** The values of `kind:`. */
export const runKinds: readonly RunKind[] = ["request", "job", "background", "trace", "websocket"];

/** The name that was probably meant, which is the first one that differs by one typo. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  const lower = given.toLowerCase();
  for (const name of names) if (isOneSlipAway(lower, name)) return name;
  for (const name of names) if (lower.length > 2 && (name.startsWith(lower) || lower.startsWith(name))) return name;
  return undefined;
}

/** Whether they differ by one letter that is added, missing, wrong or swapped with the next one. */
function isOneSlipAway(a: string, b: string): boolean {
  if (a === b) return true;
  let head = 0;
  while (head < a.length && a[head] === b[head]) head += 1;
  const [restA, restB] = [a.slice(head), b.slice(head)];
  if (restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}

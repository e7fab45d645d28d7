/**
 * What a span is about, by its attributes: in the stable names of OpenTelemetry and in those before. Pure.
 *
 *   db.* ──▶ sql, cache      messaging.* ──▶ message      anything else ──▶ span
 *
 * Spec: spec/leaves.md
 */
import type { LeafKind } from "../shapes.ts";

type Description = Readonly<Record<string, unknown>>;
type Given = Readonly<Record<string, unknown>>;

/** The kind of a leaf, and its description. */
export interface Classified {
  readonly kind: Exclude<LeafKind, "http" | "log">;
  readonly description: Description;
}

const caches: ReadonlySet<unknown> = new Set(["redis", "memcached", "valkey"]);

/** The first of these attributes. */
export const attribute = (attributes: Given, ...names: readonly string[]): unknown =>
  names.map((name) => attributes[name]).find((value) => value !== undefined);

/** The kind of a span with these attributes. */
export function classified(attributes: Given): Classified {
  const of = (...names: readonly string[]): unknown => attribute(attributes, ...names);
  const system = of("db.system.name", "db.system");
  const statement = of("db.query.text", "db.statement");
  if (caches.has(system)) return { kind: "cache", description: { system, ...commandOf(statement, of) } };
  if (system !== undefined && typeof statement === "string")
    return {
      kind: "sql",
      description: { system, statement, ...parametersOf(attributes), rows: of("db.response.returned_rows") },
    };
  const messaging = of("messaging.system");
  if (messaging === undefined) return { kind: "span", description: {} };
  const operation = of("messaging.operation.type", "messaging.operation.name", "messaging.operation");
  const destination = of("messaging.destination.name", "messaging.destination");
  return { kind: "message", description: { system: messaging, operation, destination } };
}

/** `GET key …`, as instrumentations write a cache command. */
function commandOf(statement: unknown, of: (...names: string[]) => unknown): Description {
  const [command = "", key = "", ...args] = typeof statement === "string" ? statement.slice(0, 4_096).split(" ") : [];
  return { command: of("db.operation.name", "db.operation") ?? command, key, args };
}

/** `db.query.parameter.0`, or the list that the instrumentation of pg writes on request. */
function parametersOf(attributes: Given): Description {
  const listed = attributes["db.postgresql.values"];
  if (Array.isArray(listed)) return { parameters: listed };
  const named = Object.entries(attributes).filter(([name]) => name.startsWith("db.query.parameter."));
  return named.length === 0 ? {} : { parameters: named.map(([, value]) => value) };
}

/** db0, the SQL layer of Nitro. A statement is a leaf, with any driver, if the database is `withTracing`. */
import { type Message, type Source, tracingSource } from "../channels.ts";
import type { Description } from "../descriptions.ts";

/** The names of OpenTelemetry for db0's dialects that differ. `libsql` is SQLite's dialect. */
const systems: Readonly<Record<string, string>> = { libsql: "sqlite" };

/** The channel of db0's statements. */
export const db0: Source = tracingSource("db0.query", "sql", describe, (message) => ({ rows: rowsOf(message) }));

function describe({ query, dialect }: Message): Description {
  const name = typeof dialect === "string" ? dialect : "";
  return { system: systems[name] ?? name, statement: query };
}

/** A prepared statement returns all rows, or one, or none; a template returns `{ rows }`. Other methods are unknown. */
function rowsOf({ method, result }: Message): unknown {
  if (method === "prepare.all") return result;
  if (method === "prepare.get") return result === undefined || result === null ? [] : [result];
  return method === "sql" && typeof result === "object" && result !== null ? Reflect.get(result, "rows") : undefined;
}

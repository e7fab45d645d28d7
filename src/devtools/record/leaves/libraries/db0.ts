/** db0, the SQL layer of Nitro: a statement is a leaf, whichever driver runs it, once the database is `withTracing`. */
import { failureOf, type Message, onTracing, type Source } from "../channels.ts";
import type { Description } from "../descriptions.ts";

const CHANNEL = "db0.query";

/** The names of OpenTelemetry where db0's dialects have others; `libsql` is SQLite's dialect. */
const systems: Readonly<Record<string, string>> = { libsql: "sqlite" };

/** What db0 publishes of a statement. */
export const db0: Source = (hub, leaves) =>
  onTracing(hub, CHANNEL, {
    begin: (message) => leaves.begin(CHANNEL, "sql", () => describe(message as Message)),
    end: (open, message) => leaves.end(open, () => ({ rows: rowsOf(message as Message) }), failureOf(message)),
  });

function describe({ query, dialect }: Message): Description {
  const name = typeof dialect === "string" ? dialect : "";
  return { system: systems[name] ?? name, statement: query };
}

/** A prepared statement gives all rows, or one, or none; a template `{ rows }`. Of other methods nothing is known. */
function rowsOf({ method, result }: Message): unknown {
  if (method === "prepare.all") return result;
  if (method === "prepare.get") return result === undefined || result === null ? [] : [result];
  return method === "sql" && typeof result === "object" && result !== null ? Reflect.get(result, "rows") : undefined;
}

/**
 * Libraries that publish what they do: mysql2, node-redis, ioredis, `node:sqlite`, pino, and `step` of this package.
 *
 * Each is known by the name of its channel alone; none of them is imported, and none need be there.
 *
 * Spec: spec/leaves.md
 */
import { failureOf, onTracing, type Source } from "./channels.ts";
import type { Description } from "./descriptions.ts";
import { STEP_CHANNEL, type StepMessage } from "./step.ts";

type Members = Readonly<Record<string, unknown>>;

/** mysql2, by `query` and by `execute`. */
const mysql2 =
  (name: string): Source =>
  (hub, leaves) =>
    onTracing(hub, name, {
      begin: (message) => leaves.begin(name, "sql", () => describeMysql(message as Members)),
      end: (open, message) =>
        leaves.end(open, () => ({ rows: rowsOf((message as Members)["result"]) }), failureOf(message)),
    });

const describeMysql = ({ query, values }: Members): Description => ({
  system: "mysql",
  statement: query,
  parameters: Array.isArray(values) ? values : values === undefined ? [] : [values],
});

/** The rows of a SELECT; of anything else how many it changed. By promise, the pair of rows and fields. */
function rowsOf(result: unknown): unknown {
  if (!Array.isArray(result))
    return typeof result === "object" && result !== null ? Reflect.get(result, "affectedRows") : undefined;
  const [first, second] = result as unknown[];
  return result.length === 2 && (Array.isArray(first) || isHeader(first)) && areFields(second) ? rowsOf(first) : result;
}

/** What a query tells of its columns, of several queries in a row a list each; nothing where it gives no rows. */
const areFields = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) ? value.every(areFields) : isField(value));
const isField = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "name" in value && "columnType" in value;

const isHeader = (value: unknown): boolean => typeof value === "object" && value !== null && "affectedRows" in value;

/** Commands that find something or nothing. */
const lookups: ReadonlySet<string> = new Set(["GET", "GETDEL", "GETEX", "HGET", "LINDEX", "LPOP", "RPOP", "SPOP"]);

/** A client of Redis: both publish the command's name and its arguments, with `?` for most values. */
const redis =
  (name: string): Source =>
  (hub, leaves) =>
    onTracing(hub, name, {
      begin: (message) => leaves.begin(name, "cache", () => describeCommand(message as Members)),
      end: (open, message) => leaves.end(open, () => foundBy(message as Members), failureOf(message)),
    });

function describeCommand({ command, args }: Members): Description {
  const given: readonly unknown[] = Array.isArray(args) ? args : [];
  const name = typeof command === "string" ? command : String(given[0] ?? "");
  const rest = String(given[0] ?? "").toUpperCase() === name.toUpperCase() ? given.slice(1) : given;
  const [key, ...values] = rest;
  return { system: "redis", command: name, key: typeof key === "string" ? key : "", args: values };
}

function foundBy(message: Members): Description {
  const { command, args, result } = message;
  const name = typeof command === "string" ? command : Array.isArray(args) ? String(args[0]) : "";
  return lookups.has(name.toUpperCase()) && "result" in message ? { hit: result !== null && result !== undefined } : {};
}

/** `node:sqlite` tells of a statement when it is over, with its parameters in it. */
const sqlite: Source = (hub, leaves) =>
  hub.on("sqlite.db.query", (message) =>
    leaves.add("sqlite.db.query", "sql", () => describeSqlite(message as Members)),
  );

const describeSqlite = ({ sql, duration }: Members): Description => ({
  system: "sqlite",
  statement: sql,
  ...(typeof duration === "number" || typeof duration === "bigint" ? { durationMs: Number(duration) / 1e6 } : {}),
});

/** pino tells of a line just before it is one. */
const pino: Source = (hub, leaves) =>
  hub.on("tracing:pino_asJson:start", (message) => leaves.line("pino", () => describePino(message as Members)));

function describePino({ instance, arguments: given }: Members): Description {
  const [fields, text, number] = given as ArrayLike<unknown> as readonly unknown[];
  const labels = (instance as { levels?: { labels?: Members } } | undefined)?.levels?.labels;
  return { level: labels?.[String(number)] ?? String(number), message: text, fields };
}

/** `step` of this package. */
const steps: Source = (hub, leaves) =>
  onTracing(hub, STEP_CHANNEL, {
    begin(message) {
      const { kind, name } = message as StepMessage;
      return leaves.begin("step", kind, () => ({ name }));
    },
    end: (open, message) => leaves.end(open, (message as StepMessage).described, failureOf(message)),
  });

/** Every library that is known. */
export const libraries: readonly Source[] = [
  mysql2("mysql2:query"),
  mysql2("mysql2:execute"),
  redis("node-redis:command"),
  redis("ioredis:command"),
  sqlite,
  pino,
  steps,
];

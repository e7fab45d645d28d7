/**
 * Sql: one way to run a statement, on the connections, pools and transactions of the usual libraries.
 *
 *   postgres.js unsafe · Kysely executeQuery · Knex raw · Drizzle execute · pg and PGlite query ──▶ executeSql(text, values)
 *
 * A library is recognized by that method, since it is the application's and not ours to import.
 */
import { type ErrorCode, shown, usageError } from "./usage-errors.ts";

/** Rows by column. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs statements. The interface that pg-boss takes as its `db`. */
export interface Sql {
  /** Without values the text may be several statements. */
  executeSql(text: string, values?: readonly unknown[]): Promise<{ readonly rows: Row[] }>;
}

type Call = (...args: readonly unknown[]) => unknown;

/** @throws TypeError (`code`) when it is of none of the libraries. */
export function sqlOf(where: string, given: unknown, code: ErrorCode): Sql {
  const run = runnerOf(given);
  if (run === undefined)
    throw usageError(
      code,
      `${where} is ${shown(typeof given === "object" ? Object.keys(Object(given)).slice(0, 5) : given)}: a client, pool or ` +
        "transaction of pg, postgres.js, PGlite, Drizzle, Kysely or Knex is allowed",
    );
  return {
    executeSql: async (text, values = []) => ({
      rows: rowsOf(
        await run(
          text,
          values.map((value) => value ?? null),
        ),
      ),
    }),
  };
}

function runnerOf(given: unknown): ((text: string, values: readonly unknown[]) => unknown) | undefined {
  const call = (name: string): Call | undefined => {
    const found: unknown =
      (typeof given === "object" && given !== null) || typeof given === "function"
        ? Reflect.get(given, name)
        : undefined;
    return typeof found === "function" ? (...args) => Reflect.apply(found, given, args) as unknown : undefined;
  };
  const [unsafe, executeQuery, raw, execute, query, exec] = [
    call("unsafe"),
    call("executeQuery"),
    call("raw"),
    call("execute"),
    call("query"),
    call("exec"),
  ];
  // postgres.js: a statement without values is sent as it is, and may be several.
  if (unsafe !== undefined) return (text, values) => (values.length === 0 ? unsafe(text) : unsafe(text, values));
  if (executeQuery !== undefined) return (text, values) => executeQuery(ofKysely(text, values));
  if (raw !== undefined) return (text, values) => raw(...ofKnex(text, values));
  if (execute !== undefined) return (text, values) => execute(ofDrizzle(text, values));
  if (query === undefined) return undefined;
  if (exec === undefined) return (text, values) => (values.length > 0 ? query(text, values) : query(text));
  return (text, values) => (values.length > 0 ? query(text, values) : several(exec, text));
}

/**
 * Several statements on PGlite, whose `query` takes one. It has a single connection, so a failed `BEGIN; …; COMMIT` would leave
 * the whole database in its transaction.
 */
async function several(exec: Call, text: string): Promise<unknown> {
  try {
    return await exec(text);
  } catch (error) {
    if (/^\s*begin\b/i.test(text)) await exec("rollback");
    throw error;
  }
}

/** What `CompiledQuery.raw` of Kysely returns. */
const ofKysely = (sql: string, parameters: readonly unknown[]): object => ({
  sql,
  parameters,
  query: { kind: "RawNode", sqlFragments: [sql], parameters: [] },
  queryId: { queryId: `framework-${sql.length}` },
});

/** What `sql` of Drizzle makes, for its `execute`. */
function ofDrizzle(sql: string, params: readonly unknown[]): object {
  const built = { sql, params };
  const wrapper = { getSQL: () => wrapper, toQuery: () => built };
  return wrapper;
}

/** Knex has `?` for `$1`, and `\\?` for a question mark. It rejects an undefined member, which JSON leaves out. */
function ofKnex(text: string, values: readonly unknown[]): readonly [text: string, bindings: readonly unknown[]] {
  const bindings: unknown[] = [];
  const marked = text.replaceAll("?", String.raw`\?`).replace(/\$(\d+)/g, (_, at: string) => {
    const value = values[Number(at) - 1];
    const isJson = typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
    bindings.push(isJson ? JSON.stringify(value) : value);
    return "?";
  });
  return values.length === 0 ? [text.replaceAll("?", String.raw`\?`), []] : [marked, bindings];
}

/** The rows of a result of any of them, and those of all of several. */
function rowsOf(result: unknown): Row[] {
  if (!Array.isArray(result)) return (Object(result) as { rows?: Row[] }).rows ?? [];
  // postgres.js: a list of rows that knows its command.
  return "command" in result ? ([...result] as Row[]) : result.flatMap((one) => rowsOf(one));
}

/** Is it an error of a statement, and not of the connection? A connection fails with classes 08, 53 and 57 too. */
export function isStatementError(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !/^(08|53|57)/.test(code);
}

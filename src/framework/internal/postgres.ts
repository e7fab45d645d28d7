/**
 * A table in PostgreSQL, through the app's own client.
 *
 *   store ──▶ run(statement, values) ──▶ client ──▶ server
 *               ├─ there is no such table: created, then once more
 *               ├─ a conflict of transactions: once more
 *               └─ no reply in time: rejected; a later reply is ignored
 *
 * A table that exists is never altered, so an account that may not create tables needs only the statements of the guide.
 * No client is imported here. Code that uses PostgreSQL gets one.
 */
import { inTime } from "./in-time.ts";
import { checkTimeout } from "./option-values.ts";
import { type Row, type Sql, sqlOf } from "./sql.ts";
import { shown, usageError } from "./usage-errors.ts";

/**
 * The application's database: a pool or client of pg, or any client with `query(text, values)`, `sql` of postgres.js, a PGlite,
 * or an instance of Drizzle, Kysely or Knex.
 */
export type PostgresClient = object;

/** A table of one store. */
export interface PostgresTableOptions {
  /** The class that users know, for error messages. */
  readonly owner: string;
  /** A name, or a schema and a name. */
  readonly table: string;
  readonly timeoutMs: number;
  /** After `create`, such as `unlogged table`. */
  readonly kind: "table" | "unlogged table";
  readonly columns: string;
  /** The column by which old rows are found. */
  readonly endsAt: string;
}

/** Runs the statements of a store. */
export class PostgresTable {
  /** The quoted name, for statements. */
  readonly name: string;
  readonly #sql: Sql;
  readonly #timeoutMs: number;
  readonly #creation: readonly string[];
  #creating: Promise<void> | undefined;

  /** @throws TypeError when the client, the name or the time limit is invalid. */
  constructor(client: PostgresClient, { owner, table, timeoutMs, kind, columns, endsAt }: PostgresTableOptions) {
    if (typeof table !== "string" || !/^([A-Za-z_]\w{0,49}\.)?[A-Za-z_]\w{0,49}$/.test(table))
      throw usageError(
        "CONFIG_INVALID",
        `table of ${owner} is ${shown(table)}: a name, or a schema and a name, of letters, digits and "_" is allowed`,
      );
    checkTimeout(owner, timeoutMs);
    this.#sql = sqlOf(`the client of ${owner}`, client, "POSTGRES_CLIENT");
    this.#timeoutMs = timeoutMs;
    const names = table.split(".");
    this.name = names.map((name) => `"${name}"`).join(".");
    this.#creation = [
      `create ${kind} if not exists ${this.name} (${columns})`,
      `create index if not exists "${names.at(-1)}_${endsAt}" on ${this.name} (${endsAt})`,
    ];
  }

  /** The rows of a statement. @throws (rejects) the client's error, and Error when no reply comes in time. */
  run(text: string, values: readonly unknown[]): Promise<Row[]> {
    return inTime(
      this.#attempts(text, values),
      this.#timeoutMs,
      `PostgreSQL did not reply within ${this.#timeoutMs} ms`,
    );
  }

  async #attempts(text: string, values: readonly unknown[]): Promise<Row[]> {
    for (let left = 3; ; left -= 1) {
      try {
        return (await this.#sql.executeSql(text, values)).rows;
      } catch (error) {
        const code = codeOf(error);
        if (left === 0 || !(code === UNDEFINED_TABLE || isConflict(code))) throw error;
        if (code === UNDEFINED_TABLE)
          await (this.#creating ??= this.#create().finally(() => (this.#creating = undefined)));
      }
    }
  }

  async #create(): Promise<void> {
    for (const statement of this.#creation) {
      try {
        await this.#sql.executeSql(statement);
      } catch (error) {
        // Another process has created it at the same time.
        if (!["23505", "42P07", "42710"].includes(codeOf(error) ?? "")) throw error;
      }
    }
  }
}

const UNDEFINED_TABLE = "42P01";
/** A serialization failure or a deadlock: the statement has had no effect. */
const isConflict = (code: string | undefined): boolean => code === "40001" || code === "40P01";

/** The SQLSTATE of an error. Drizzle wraps the client's error. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  return cause === undefined || cause === error ? undefined : codeOf(cause);
}

/**
 * A part of a statement that deletes two old rows other than `$1`, so that a table without a sweeper stays as small as its
 * living rows: a statement adds at most one. It waits for no other statement.
 */
export const sweep = (table: string, condition: string, order: string): string =>
  `swept as (delete from ${table} where key in (select key from ${table} where ${condition} and key <> $1
   order by ${order} limit 2 for update skip locked))`;

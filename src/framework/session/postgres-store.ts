/**
 * Sessions in PostgreSQL, for apps whose only server is their database, through the app's own client.
 *
 *   read ──▶ select    write ──▶ insert … on conflict │ update    touch ──▶ update    destroy ──▶ delete
 *
 * Each is one statement, so it is atomic across processes. Times are the server's. A new session deletes two expired ones.
 *
 * Spec: spec/session.md
 */
import { type PostgresClient, PostgresTable, sweep } from "../internal/postgres.ts";
import type { SessionStore, SessionWrite } from "./store.ts";

/** Options of {@link PostgresSessionStore}. */
export interface PostgresSessionOptions {
  /** The table, with or without its schema. Created when it is missing. Default `framework_sessions`. */
  readonly table?: string | undefined;
  /** The time limit of a reply. Default 1,000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Keeps sessions in PostgreSQL.
 *
 * @example
 * ```ts skip="it needs a database"
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * app.use(new SessionMiddleware({ store: new PostgresSessionStore(pool) }));
 * ```
 */
export class PostgresSessionStore implements SessionStore {
  readonly #table: PostgresTable;
  readonly #read: string;
  readonly #create: string;
  readonly #update: string;
  readonly #touch: string;
  readonly #destroy: string;

  /** @throws TypeError when it is not such a client, or an option is invalid. */
  constructor(
    client: PostgresClient,
    { table = "framework_sessions", timeoutMs = 1_000 }: PostgresSessionOptions = {},
  ) {
    const made = new PostgresTable(client, {
      owner: "PostgresSessionStore",
      table,
      timeoutMs,
      kind: "table",
      columns: "key text primary key, value text not null, ends_at timestamptz not null",
      endsAt: "ends_at",
    });
    const { name } = made;
    const ends = (parameter: string): string => `now() + ${parameter}::float8 * interval '1 millisecond'`;
    this.#table = made;
    this.#read = `select value from ${name} where key = $1 and ends_at > now()`;
    this.#create = `with ${sweep(name, "ends_at <= now()", "ends_at")}
      insert into ${name} as kept (key, value, ends_at) values ($1, $2, ${ends("$3")})
      on conflict (key) do update set value = excluded.value, ends_at = excluded.ends_at where kept.ends_at <= now()
      returning 1 as done`;
    this.#update = `update ${name} set value = $2, ends_at = ${ends("$3")} where key = $1 and ends_at > now() returning 1 as done`;
    this.#touch = `update ${name} set ends_at = ${ends("$2")} where key = $1 and ends_at > now() returning 1 as done`;
    this.#destroy = `delete from ${name} where key = $1`;
  }

  async read(key: string): Promise<string | undefined> {
    const [row] = await this.#table.run(this.#read, [key]);
    return row === undefined ? undefined : String(row["value"]);
  }

  async write(key: string, text: string, { ttlMs, mode }: SessionWrite): Promise<boolean> {
    const rows = await this.#table.run(mode === "create" ? this.#create : this.#update, [key, text, ttlMs]);
    return rows.length > 0;
  }

  async touch(key: string, ttlMs: number): Promise<boolean> {
    return (await this.#table.run(this.#touch, [key, ttlMs])).length > 0;
  }

  async destroy(key: string): Promise<void> {
    await this.#table.run(this.#destroy, [key]);
  }
}

/**
 * The database: opened, with its tables created the first time.
 *
 * Bound as a class on purpose: devtools leaves it untouched and the graph marks it "not traceable".
 */
import type { PGlite } from "@electric-sql/pglite";
import { openPostgres } from "../../postgres.ts";
import { schema } from "./schema.ts";

/** A value that must be unique already exists. `constraint` is its name in schema.ts. */
export class UniqueViolationError extends Error {
  readonly constraint: string;

  constructor(constraint: string, cause: unknown) {
    super(`${constraint} is taken`, { cause });
    this.name = "UniqueViolationError";
    this.constraint = constraint;
  }
}

/** A text contains U+0000, which JSON allows and PostgreSQL does not. */
export class UnstorableTextError extends Error {
  constructor(cause: unknown) {
    super("a text holds the character U+0000", { cause });
    this.name = "UnstorableTextError";
  }
}

/** A pool of one: statements run one after another. */
export class Database {
  static readonly stereotype = "component";
  readonly #postgres: PGlite;

  private constructor(postgres: PGlite) {
    this.#postgres = postgres;
  }

  /** Opens it and creates the tables the first time. */
  static async open(folder?: string): Promise<Database> {
    const postgres = await openPostgres(folder);
    const { rows } = await postgres.query<{ made: boolean }>("select to_regclass('users') is not null as made");
    if (rows[0]?.made !== true) await postgres.transaction((tx) => tx.exec(schema));
    return new Database(postgres);
  }

  /** The rows, one object each, by column. `Row` declares their type, unchecked. */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.#run<Row>(text, values)).rows;
  }

  /** The number of rows that a statement changed. */
  async change(text: string, values: readonly unknown[] = []): Promise<number> {
    return (await this.#run(text, values)).affectedRows ?? 0;
  }

  async ping(): Promise<void> {
    await this.#postgres.query("select 1");
  }

  /** May be called twice. */
  async close(): Promise<void> {
    if (!this.#postgres.closed) await this.#postgres.close();
  }

  /** @throws UniqueViolationError for PostgreSQL's 23505, UnstorableTextError for 22021. */
  async #run<Row>(text: string, values: readonly unknown[]): Promise<{ rows: Row[]; affectedRows?: number }> {
    try {
      return await this.#postgres.query<Row>(text, [...values]);
    } catch (error) {
      const { code, constraint } = error as { readonly code?: unknown; readonly constraint?: unknown };
      if (code === "23505" && typeof constraint === "string") throw new UniqueViolationError(constraint, error);
      if (code === "22021") throw new UnstorableTextError(error);
      throw error;
    }
  }
}

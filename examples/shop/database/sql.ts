/** Statements, as the database and the code that fills it see them. */

/** Runs one statement and returns its rows, or how many rows it changed. */
export type Sql = (text: string, values?: readonly unknown[]) => Promise<SqlResult>;

/** What a statement brought. */
export interface SqlResult {
  readonly rows: readonly Record<string, unknown>[];
  readonly changed: number;
}

/** Statements, as the database and whoever fills it see them. */

/** Runs one statement and answers its rows, or how many rows it changed. */
export type Sql = (text: string, values?: readonly unknown[]) => Promise<Answer>;

/** What a statement brought. */
export interface Answer {
  readonly rows: readonly Record<string, unknown>[];
  readonly changed: number;
}

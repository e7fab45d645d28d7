/**
 * The text of a request, as the editor holds it: kept exactly as it was typed. What it means is draft.ts, what a contract
 * says of it declared.ts.
 */

/** What the editor holds for one route. */
export interface Draft {
  readonly params: Readonly<Record<string, string>>;
  /** Without the `?`. */
  readonly query: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** What of the run it was taken from could not be filled in, one line each. */
  readonly leftOut?: readonly string[] | undefined;
}

/** Files that were chosen for one name of a form. They are in no draft: a browser keeps them for this page alone. */
export interface ChosenFiles {
  readonly name: string;
  readonly files: readonly File[];
}

/** The name of the file that is the whole body. */
export const WHOLE_BODY = "";

/**
 * The text of a request, as the editor holds it, kept exactly as typed. draft.ts interprets it, and declared.ts finds the
 * declared parts.
 */

/** The editor's content for one route. */
export interface Draft {
  readonly params: Readonly<Record<string, string>>;
  /** Without the `?`. */
  readonly query: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The parts of its run that could not be filled in, one line each. */
  readonly leftOut?: readonly string[] | undefined;
  /** Whether the user changed it since it was filled in or sent. */
  readonly isTyped?: boolean | undefined;
  /** The correlation id with which it was sent last. */
  readonly sentAs?: string | undefined;
}

/** Files that were chosen for one name of a form. No draft has them, since a browser keeps them only for this page. */
export interface ChosenFiles {
  readonly name: string;
  readonly files: readonly File[];
}

/** The name of the file that is the whole body. */
export const WHOLE_BODY = "";

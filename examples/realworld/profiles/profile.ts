/**
 * A profile: a user as others see them.
 */

/** The public data of a user. `following`: does the reader follow them? */
export interface Profile {
  readonly username: string;
  readonly bio: string | null;
  readonly image: string | null;
  readonly following: boolean;
}

/** The reader's id, or undefined without an account. */
export type Viewer = number | undefined;

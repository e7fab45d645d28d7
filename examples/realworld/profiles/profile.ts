/**
 * A profile: a user as others see them.
 */

/** What is public about a user. `following`: does the reader follow them? */
export interface Profile {
  readonly username: string;
  readonly bio: string | null;
  readonly image: string | null;
  readonly following: boolean;
}

/** The reader's id; undefined without an account. */
export type Viewer = number | undefined;

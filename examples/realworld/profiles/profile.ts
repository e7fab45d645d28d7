/**
 * A profile: a user as others see them.
 */

/** What is public about a user. `following`: does whoever asks follow them? */
export interface Profile {
  readonly username: string;
  readonly bio: string;
  readonly image: string | null;
  readonly following: boolean;
}

/** The id of whoever asks; undefined for a stranger. */
export type Viewer = number | undefined;

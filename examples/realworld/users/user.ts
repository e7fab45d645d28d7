/**
 * A user, and the fields that may change.
 */

/** A registered user. The hash never leaves the services. */
export interface User {
  readonly id: number;
  readonly email: string;
  readonly username: string;
  readonly passwordHash: string;
  readonly bio: string | null;
  readonly image: string | null;
}

/** The fields that users may change of themselves. Undefined leaves a field unchanged. */
export type UserChanges = { readonly [K in Exclude<keyof User, "id">]?: User[K] | undefined };

/** The user as sent to themselves. */
export interface AuthenticatedUser {
  readonly user: Pick<User, "email" | "username" | "bio" | "image"> & { readonly token: string };
}

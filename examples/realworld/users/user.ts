/**
 * A user, and what may be changed of one.
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

/** What a user may change of themselves. Undefined: leave as it is. */
export type UserChanges = { readonly [K in Exclude<keyof User, "id">]?: User[K] | undefined };

/** The user as the client sees themselves. */
export interface AuthenticatedUser {
  readonly user: Pick<User, "email" | "username" | "bio" | "image"> & { readonly token: string };
}

/**
 * A user, and what clients may write of one.
 */
import { z } from "zod";
import { text } from "../input.ts";

/** A registered user. The hash never leaves the services. */
export interface User {
  readonly id: number;
  readonly email: string;
  readonly username: string;
  readonly passwordHash: string;
  readonly bio: string;
  readonly image: string | null;
}

/** What a user may change of themselves. Undefined: leave as it is. */
export type UserChanges = Partial<Omit<User, "id">>;

/** The user as the client sees themselves. */
export interface AuthenticatedUser {
  readonly user: {
    readonly email: string;
    readonly token: string;
    readonly username: string;
    readonly bio: string;
    readonly image: string | null;
  };
}

const email = text(254).toLowerCase().pipe(z.email("is invalid"));
const password = z.string("can't be blank").min(1, "can't be blank").max(1_000, "is too long");
const username = text(64);

/** `POST /api/users/login` */
export const loginInput = z.object({ user: z.object({ email, password }) });

/** `POST /api/users` */
export const registrationInput = z.object({ user: z.object({ username, email, password }) });

/** `PUT /api/user`. Unknown keys are left out: clients send back the whole user, token included. */
export const userChangesInput = z.object({
  user: z
    .object({
      email: email.optional(),
      username: username.optional(),
      password: password.optional(),
      bio: z.string().max(2_000).nullable().optional(),
      image: z.url("is no URL").max(2_000).nullable().optional(),
    })
    .refine((changes) => Object.keys(changes).length > 0, "at least one field is required"),
});

/**
 * The contracts of "User and Authentication".
 */
import { contract } from "framework";
import { z } from "zod";
import { failing, optionalText, signedIn, text } from "../contracts.ts";

const email = text(254).toLowerCase().pipe(z.email("is invalid"));
const username = text(64);
const filled = z.string("can't be blank").min(1, { error: "can't be blank", abort: true }).max(1_000, "is too long");
/** A new password only needs a length (NIST SP 800-63B, 5.1.1.2). */
const password = filled.min(8, "is shorter than 8 characters");
const hidden = { format: "password" };
const image = optionalText(2_000).refine(
  (value) => value === null || (/^https?:/i.test(value) && URL.canParse(value)),
  "is no URL",
);

const newUser = z
  .object({ username, email, password: password.meta(hidden) }, "can't be blank")
  .meta({ id: "NewUser" });
const credentials = z.object({ email, password: filled.meta(hidden) }, "can't be blank").meta({ id: "LoginUser" });
/** Unknown names are ignored, since clients send back the whole user, including the token. */
const changes = z
  .object({ email, username, password, bio: optionalText(2_000), image }, "can't be blank")
  .partial()
  .refine((given) => Object.keys(given).length > 0, "at least one field is required")
  .meta({ id: "UpdateUser" });

const user = z
  .object({
    email: z.string(),
    token: z.string(),
    username: z.string(),
    bio: z.string().nullable(),
    image: z.string().nullable(),
  })
  .meta({ id: "User" });
const userBody = z.object({ user });

const example = { username: "jake", email: "jake@jake.jake", password: "jakejake" };

export const login = contract({
  operationId: "Login",
  summary: "Existing user login",
  body: z.object({ user: credentials }),
  responses: { 200: userBody, ...failing(400, 401, 413, 415, 422) },
  example: { body: { user: { email: example.email, password: example.password } } },
});
export const createUser = contract({
  operationId: "CreateUser",
  summary: "Register a new user",
  body: z.object({ user: newUser }),
  responses: { 201: userBody, ...failing(400, 409, 413, 415, 422) },
  example: { body: { user: example } },
});
export const getCurrentUser = contract({
  ...signedIn,
  operationId: "GetCurrentUser",
  summary: "Get current user",
  responses: { 200: userBody, ...failing(401) },
});
export const updateCurrentUser = contract({
  ...signedIn,
  operationId: "UpdateCurrentUser",
  summary: "Update current user",
  body: z.object({ user: changes }),
  responses: { 200: userBody, ...failing(400, 401, 409, 413, 415, 422) },
  example: { body: { user: { bio: "I like to skateboard" } } },
});

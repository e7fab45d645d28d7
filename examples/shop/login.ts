/**
 * Logging in: a session for browsers, a token for programs.
 *
 *   POST /login ──▶ rate limit ──▶ CustomerRepository, scrypt ──▶ session: customerId, in a cookie     and a JWT, good for ten minutes
 *   GET /me     ──▶ the session │ Authorization: Bearer <the JWT> ──▶ the customer
 *   POST /logout ──▶ the session is over; the token ends by itself
 *
 * Sessions are in memory, and each start creates a new secret for tokens, since this shop is one process.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { type Framework, type Middleware, UnauthorizedError } from "framework";
import { JwtAuthMiddleware, requirePrincipal, setPrincipal } from "framework/auth";
import { RateLimitMiddleware } from "framework/rate-limit";
import { MemorySessionStore, SessionMiddleware, sessionOf } from "framework/session";
import { SignJWT } from "jose";
import * as contracts from "./contracts.ts";
import { CustomerRepository } from "./repositories/customers.ts";

declare module "framework/session" {
  interface SessionData {
    customerId: string;
  }
}

const issuer = "https://shop.example";
const secret = randomBytes(32);
const expiresIn = 600;

const sessions = new SessionMiddleware({ store: new MemorySessionStore() });
const tokens = new JwtAuthMiddleware({ secret, issuer, audience: issuer, algorithms: ["HS256"], realm: "shop" });

/** The two authentication schemes for the document. */
export const securitySchemes = { session: sessions.securityScheme, token: tokens.securityScheme };

/** A client that has logged in is authenticated by its session, without a token. */
const bySession: Middleware = {
  handle(ctx, next) {
    const id = sessionOf(ctx).get("customerId");
    if (id !== undefined) setPrincipal(ctx, { id });
    return next();
  },
};

export function addLogin(app: Framework): void {
  // A burst of ten guesses, then one every six seconds, for each address.
  const guesses = new RateLimitMiddleware({ policyName: "login", limit: 10, windowMs: 60_000 });
  app.group("", { tags: ["login"] }, (api) => {
    api.use(sessions);
    api.post("/login", { ...contracts.login, use: [guesses], beans: [CustomerRepository] }, async (ctx) => {
      const { email, password } = ctx.input.body;
      const account = await ctx.get(CustomerRepository).accountOf(email);
      if (!(await isPassword(password, account?.passwordHash)) || account === undefined)
        throw new UnauthorizedError("The email or the password is wrong", { code: "login" });
      const { id, name } = account;
      const customer = { id, name, email: account.email };
      sessionOf(ctx).regenerate().set("customerId", id);
      return { customer, token: await tokenFor(id), expiresIn };
    });
    api.post("/logout", contracts.logout, (ctx) => {
      sessionOf(ctx).destroy();
      ctx.status(204);
    });
    api.get("/me", { ...contracts.showMe, use: [bySession, tokens], beans: [CustomerRepository] }, async (ctx) => {
      const customer = await ctx.get(CustomerRepository).find(requirePrincipal(ctx).id);
      if (customer === undefined) throw new UnauthorizedError("This customer is no more");
      return customer;
    });
  });
}

const tokenFor = (id: string): Promise<string> =>
  new SignJWT()
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(issuer)
    .setAudience(issuer)
    .setSubject(id)
    .setExpirationTime(`${expiresIn} seconds`)
    .sign(secret);

const derive = promisify<string, Buffer, number, Buffer>(scrypt);

/** Takes as long for an unknown email as for a wrong password. */
async function isPassword(password: string, hash = "00.00"): Promise<boolean> {
  const [salt = "", expected = ""] = hash.split(".");
  const derived = await derive(password, Buffer.from(salt, "hex"), 32);
  const known = Buffer.from(expected, "hex");
  return known.length === derived.length && timingSafeEqual(known, derived);
}

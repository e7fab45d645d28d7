/**
 * The routes of the subject that need an `Authorization` header.
 *
 * Spec: spec/subject.md
 */
import type { Context, Framework, Middleware } from "framework";
import {
  BasicAuthMiddleware,
  BearerAuthMiddleware,
  JwtAuthMiddleware,
  type JwtAuthOptions,
  type Principal,
  principalOf,
  requireRole,
  requireScope,
} from "framework/auth";

const realm = "subject";
const users = { ada: "the secret of ada", Zoë: "pa:ss wörd" };
const tokens: ReadonlyMap<string, Principal> = new Map([
  ["token-of-ada", { id: "ada", roles: ["clerk", "admin"], scopes: ["orders:read", "orders:write"] }],
  ["token-of-bob", { id: "bob", roles: ["clerk"], scopes: ["orders:read"] }],
]);

const basic = (optional = false): Middleware => new BasicAuthMiddleware({ realm, users, optional });
/** The middleware of the door `bearer`. */
export const bearer = (optional = false): Middleware =>
  new BearerAuthMiddleware({ realm, verify: (token) => tokens.get(token), optional });
const jwt = (options: Partial<JwtAuthOptions>): Middleware =>
  new JwtAuthMiddleware({
    realm,
    issuer: "https://issuer.example",
    audience: "subject",
    clockToleranceSeconds: 60,
    algorithms: ["HS256"],
    ...options,
  });

/** The middleware of each path below `/private`. */
const groups = (): Readonly<Record<string, readonly Middleware[]>> => ({
  basic: [basic()],
  bearer: [bearer()],
  optional: [bearer(true)],
  either: [bearer(true), basic()],
  role: [bearer(true), basic(true), requireRole("admin", "owner")],
  scope: [bearer(true), basic(true), requireScope("orders:read", "orders:write")],
  jwt: [jwt({ secret: "the secret that signs the tokens of the subject" })],
  // A port without a listener.
  unreachable: [jwt({ jwks: "http://127.0.0.1:9/jwks.json", algorithms: ["RS256"] })],
});

/** Adds the routes below `/private`. */
export function addPrivate(app: Framework): void {
  const who = (ctx: Context): object => ({ id: principalOf(ctx)?.id ?? "nobody" });
  for (const [name, use] of Object.entries(groups()))
    app.get(`/private/${name}`, { use }, who).post(`/private/${name}`, { use }, who);
}

/**
 * Signs a user's identity: a JSON Web Token (RFC 7519), HS256, by `jose`.
 */
import { Interface } from "framework";
import { errors, jwtVerify, SignJWT } from "jose";
import type { Clock } from "./clock.ts";

/** Signs and reads tokens. */
export interface TokenSigner {
  sign(userId: number): Promise<string>;
  /** The user's id, or undefined for a token that is malformed, expired or signed with another key. */
  read(token: string): Promise<number | undefined>;
}
/** The token of the bean. */
export const TokenSigner: Interface<TokenSigner> = Interface("TokenSigner", { stereotype: "component" });

const issuer = "conduit";
const lifetimeSeconds = 7 * 24 * 60 * 60;

/** HMAC SHA-256 with a secret of at least 32 bytes. */
export class JwtSigner implements TokenSigner {
  readonly #key: Uint8Array;
  readonly #clock: Clock;

  constructor(secret: string, clock: Clock) {
    this.#key = new TextEncoder().encode(secret);
    this.#clock = clock;
    if (this.#key.length < 32) throw new Error("JWT_SECRET has fewer than 32 bytes");
  }

  sign(userId: number): Promise<string> {
    const now = Math.floor(this.#clock.now().getTime() / 1000);
    return new SignJWT()
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer(issuer)
      .setSubject(String(userId))
      .setIssuedAt(now)
      .setExpirationTime(now + lifetimeSeconds)
      .sign(this.#key);
  }

  async read(token: string): Promise<number | undefined> {
    try {
      const options = { algorithms: ["HS256"], issuer, currentDate: this.#clock.now() };
      const { payload } = await jwtVerify(token, this.#key, options);
      return Number(payload.sub);
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

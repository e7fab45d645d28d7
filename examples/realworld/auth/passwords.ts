/**
 * Passwords are kept as scrypt hashes (RFC 7914), each with its salt and its cost:
 * `scrypt$<cost>$<salt>$<hash>`. Raising the cost later leaves the old hashes readable.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Interface } from "framework";

/**
 * Makes and checks password hashes. Passwords are passed in an object, under a name that devtools redact. The dashboard would
 * show a bare string among the arguments.
 */
export interface PasswordHasher {
  hash(secret: { readonly password: string }): Promise<string>;
  /** Takes as long without a hash as for a wrong password, so that the time does not reveal which e-mail addresses are known. */
  matches(secret: { readonly password: string; readonly passwordHash: string | undefined }): Promise<boolean>;
}
/** The token of the bean. */
export const PasswordHasher: Interface<PasswordHasher> = Interface("PasswordHasher", { stereotype: "component" });

const bytes = 32;

/** scrypt of node:crypto, on its thread pool. */
export class ScryptHasher implements PasswordHasher {
  readonly #cost: number;

  /** @param cost N, a power of two. Doubling it doubles time and memory (2^16 takes 64 MiB) */
  constructor(cost: number) {
    this.#cost = cost;
  }

  async hash({ password }: { readonly password: string }): Promise<string> {
    const salt = randomBytes(16);
    const hash = await derive(password, salt, this.#cost);
    return ["scrypt", this.#cost, salt.toString("base64url"), hash.toString("base64url")].join("$");
  }

  async matches({ password, passwordHash }: Parameters<PasswordHasher["matches"]>[0]): Promise<boolean> {
    const [, cost = this.#cost, salt = "", expected = ""] = passwordHash?.split("$") ?? [];
    const found = await derive(password, Buffer.from(salt, "base64url"), Number(cost));
    const wanted = Buffer.from(expected, "base64url");
    return wanted.length === found.length && timingSafeEqual(found, wanted);
  }
}

function derive(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, key: Buffer): void => (error === null ? resolve(key) : reject(error));
    scrypt(password.normalize("NFKC"), salt, bytes, { N: cost, r: 8, p: 1, maxmem: 256 * cost * 8 }, done);
  });
}

/**
 * Token: the secret that devtools ask for where a proxy runs beside the application, or others use this machine.
 *
 *   link printed at start ──▶ …/framework/dev?token=… ──▶ 303 and a cookie ──▶ the page and all it asks for
 *   a tool ──▶ X-Framework-Dev-Token, read from .framework/devtools-token
 *
 * A proxy that says nothing of itself looks like this machine: to those behind it only a secret is a bound.
 *
 * Spec: spec/guard.md
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "framework";
import { TOKEN_FORM, TOKEN_HEADER } from "../run/wire.ts";

/** May that be a token? What is shorter than 16 characters, or needs encoding in a link, may not. */
export const isToken = (value: unknown): value is string => typeof value === "string" && TOKEN_FORM.test(value);

/** The secret of one application, and who has shown it. */
export class Token {
  readonly #secret: string;
  readonly #digest: Uint8Array;
  /** Names differ by secret: ports of one machine share their cookies. */
  readonly #cookie: string;

  constructor(secret: string) {
    this.#secret = secret;
    this.#digest = digestOf(secret);
    this.#cookie = `framework-dev-${createHash("sha256").update(`name ${secret}`).digest("hex").slice(0, 8)}`;
  }

  /** What the link to the page ends in. */
  get search(): string {
    return `?token=${this.#secret}`;
  }

  /** Has the client shown the token, by header or cookie? */
  isShownBy(ctx: Context): boolean {
    const [header, ...more] = ctx.headerValues(TOKEN_HEADER);
    if (header !== undefined && more.length === 0 && this.#isSecret(header)) return true;
    const cookie = ctx.cookie(this.#cookie);
    return cookie !== undefined && this.#isSecret(cookie);
  }

  /** Is the request the link that was printed? */
  isLink(ctx: Context): boolean {
    const [given, ...more] = ctx.queryParams("token");
    return given !== undefined && more.length === 0 && this.#isSecret(given);
  }

  /**
   * The cookie that the link is exchanged for: no script reads it, only pages of this site send it, and without a `Path`
   * only to where it was set, which is `…/framework` (RFC 6265 §5.1.4).
   */
  get cookie(): string {
    return `${this.#cookie}=${this.#secret}; HttpOnly; SameSite=Strict`;
  }

  #isSecret(given: string): boolean {
    return timingSafeEqual(digestOf(given), this.#digest);
  }
}

const digestOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();

/**
 * The secret that is kept below a folder, made when there is none: 256 bits, readable by its owner alone, and the same
 * after a restart. @throws Error when the file can be neither read nor written
 */
export function keptSecret(project: string): string {
  const folder = join(project, ".framework");
  const file = join(folder, "devtools-token");
  const kept = read(file);
  if (kept !== undefined) return kept;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, ".gitignore"), "*\n");
    writeFileSync(file, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    // Another process of the application may have been first.
    if (!(cause instanceof Error) || Reflect.get(cause, "code") !== "EEXIST")
      throw new Error(`the devtools token cannot be kept in ${file}: name one instead, token: "…"`, { cause });
  }
  const made = read(file);
  if (made !== undefined) return made;
  throw new Error(`${file} holds no devtools token: delete it, and a new one is made`);
}

function read(file: string): string | undefined {
  try {
    const text = readFileSync(file, "utf8").trim();
    return isToken(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

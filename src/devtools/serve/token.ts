/**
 * Token: the secret that devtools require if a proxy runs on the same machine, or others use this machine.
 *
 *   link printed at start ──▶ …/framework/dev?token=… ──▶ 303 and a cookie ──▶ the page and all it asks for
 *   a tool ──▶ X-Framework-Dev-Token, read from .framework/devtools-token
 *
 * A proxy without forwarding headers looks like this machine, so only a secret keeps its clients out.
 *
 * Spec: spec/guard.md
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "framework";
import { TOKEN_FORM, TOKEN_HEADER } from "../run/wire.ts";

/** Whether that can be a token. A text of fewer than 16 characters, or one that needs encoding in a link, cannot. */
export const isToken = (value: unknown): value is string => typeof value === "string" && TOKEN_FORM.test(value);

/** The secret of one application, and the check of its clients. */
export class Token {
  readonly #secret: string;
  readonly #digest: Uint8Array;
  /** Names differ by secret, because ports of one machine share their cookies. */
  readonly #cookie: string;

  constructor(secret: string) {
    this.#secret = secret;
    this.#digest = digestOf(secret);
    this.#cookie = `framework-dev-${createHash("sha256").update(`name ${secret}`).digest("hex").slice(0, 8)}`;
  }

  /** The end of the link to the page. */
  get search(): string {
    return `?token=${this.#secret}`;
  }

  /** Whether the client has shown the token, by header or cookie. */
  isShownBy(ctx: Context): boolean {
    const [header, ...more] = ctx.headerValues(TOKEN_HEADER);
    if (header !== undefined && more.length === 0 && this.#isSecret(header)) return true;
    const cookie = ctx.cookie(this.#cookie);
    return cookie !== undefined && this.#isSecret(cookie);
  }

  isLink(ctx: Context): boolean {
    const [given, ...more] = ctx.queryParams("token");
    return given !== undefined && more.length === 0 && this.#isSecret(given);
  }

  /**
   * The cookie that replaces the link. No script reads it, only pages of this site send it, and without a `Path`
   * it is only sent to where it was set, which is `…/framework` (RFC 6265 §5.1.4).
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
 * The secret in a file below a folder, made if it is missing: 256 bits, readable only by its owner, and the same
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

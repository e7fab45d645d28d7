/**
 * OAuth 2.0 Protected Resource Metadata (RFC 9728): where a client gets a token for the path.
 *
 *   401 WWW-Authenticate: Bearer …, resource_metadata="https://shop.example/.well-known/oauth-protected-resource/mcp"
 *     ──▶ GET that ──▶ { resource, authorization_servers } ──▶ the client asks there
 */
import type { Context } from "../http/context.ts";
import { HttpError } from "../internal/errors.ts";
import { originOf, type McpSettings } from "./options.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** The metadata of one path. */
export class Metadata {
  readonly #servers: readonly string[];
  readonly #settings: McpSettings;

  constructor(settings: McpSettings) {
    this.#settings = settings;
    this.#servers = settings.oauth?.authorizationServers ?? settings.auth?.authorizationServers ?? [];
  }

  /** Is there any? */
  get isServed(): boolean {
    return this.#servers.length > 0;
  }

  /** Is that its path, for a resource with this one? `path` is inside the context path. */
  isAt(path: string): boolean {
    return this.isServed && path === WELL_KNOWN + this.#settings.path;
  }

  /** The document. */
  documentFor(ctx: Context): object {
    const scopes = this.#settings.oauth?.scopes;
    return {
      resource: this.#resourceFor(ctx),
      authorization_servers: this.#servers,
      ...(scopes === undefined ? {} : { scopes_supported: scopes }),
      bearer_methods_supported: ["header"],
      resource_name: this.#settings.info.title ?? this.#settings.info.name,
    };
  }

  /** The error of a rejected request, with the place of the document in its challenge. Any other error as it is. */
  withPlace(ctx: Context, error: unknown): unknown {
    if (!this.isServed || !(error instanceof HttpError) || (error.status !== 401 && error.status !== 403)) return error;
    const { status, message, headers, code, issues } = error;
    const challenge = headers["WWW-Authenticate"] ?? "Bearer";
    const { path } = this.#settings;
    const { origin, pathname } = new URL(this.#resourceFor(ctx));
    const prefix = pathname.endsWith(path) ? pathname.slice(0, -path.length) : "";
    const place = `resource_metadata="${origin}${prefix}${WELL_KNOWN}${path}"`;
    const separator = challenge.includes(" ") ? ", " : " ";
    return new HttpError(status, message, {
      headers: { ...headers, "WWW-Authenticate": `${challenge}${separator}${place}` },
      code,
      issues,
      cause: error,
    });
  }

  /** The origin of the app, as clients know it. */
  originFor(ctx: Context): string {
    return originOf(this.#settings.oauth?.resource) ?? `${ctx.scheme}://${ctx.host ?? "localhost"}`;
  }

  #resourceFor(ctx: Context): string {
    const [path = ""] = ctx.url.replace(WELL_KNOWN, "").split("?");
    return this.#settings.oauth?.resource ?? this.originFor(ctx) + path;
  }
}

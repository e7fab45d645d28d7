/**
 * The options of McpMiddleware, checked.
 *
 * Spec: spec/tools.md
 */
import type { JsonSchemaOf } from "../contract/json-schema.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import type { Middleware } from "../middleware/types.ts";

/** The options of the middleware. */
export interface McpMiddlewareOptions {
  /** Its path, inside the context path. Default `/mcp`. */
  readonly path?: string | undefined;
  /** What the server says of itself. */
  readonly info: { readonly name: string; readonly version: string; readonly title?: string | undefined };
  /** How to use the tools together, for the agent's model. */
  readonly instructions?: string | undefined;
  /**
   * Origins of web pages that may call, such as `https://agent.example`. A page of this machine may call an app on it, and
   * programs, which send no `Origin`, always may.
   */
  readonly origins?: readonly string[] | undefined;
  /** Authenticates every request to the path, e.g. a JwtAuthMiddleware. Each route still decides about its own calls. */
  readonly auth?: McpAuth | undefined;
  /** The metadata by which a client finds out where it gets a token (RFC 9728). */
  readonly oauth?: McpOAuth | undefined;
  /** Up to this number of tools, the list has their whole definitions. With more it has them in brief. Default 100. */
  readonly wholeUpTo?: number | undefined;
  /** How long a client may keep the list, in milliseconds. Default 5 minutes. */
  readonly listMs?: number | undefined;
  /** The longest result, in bytes. Default 100,000. */
  readonly maxResultBytes?: number | undefined;
  /** The most events of one call. Default 100. */
  readonly maxEvents?: number | undefined;
  /** How long a call reads events, in milliseconds. Default 30,000. */
  readonly maxEventsMs?: number | undefined;
  /** For schemas without their own JSON Schema. Default: that of `Framework.create`. */
  readonly jsonSchemaOf?: JsonSchemaOf | undefined;
}

/** A middleware that authenticates, and who issues its tokens. */
export interface McpAuth extends Middleware {
  readonly authorizationServers?: readonly string[] | undefined;
}

/** The protected resource that the path is (RFC 9728). */
export interface McpOAuth {
  /** The issuers of its tokens. Default: those of `auth`. */
  readonly authorizationServers?: readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Its URL, as clients know it. Default: the one of the request. */
  readonly resource?: string | undefined;
}

/** The options with their defaults. */
export type McpSettings = McpMiddlewareOptions &
  typeof defaults & { readonly path: string; readonly origins: readonly string[] };

const names = [
  "path",
  "info",
  "instructions",
  "origins",
  "auth",
  "oauth",
  "wholeUpTo",
  "listMs",
  "maxResultBytes",
  "maxEvents",
  "maxEventsMs",
  "jsonSchemaOf",
] as const;

const defaults = { wholeUpTo: 100, listMs: 300_000, maxResultBytes: 100_000, maxEvents: 100, maxEventsMs: 30_000 };

/** The settings. @throws TypeError naming the option, its value and the allowed values. */
export function checkedOptions(options: McpMiddlewareOptions): McpSettings {
  checkOptionNames("McpMiddleware", options, names, "MIDDLEWARE_INVALID");
  const { path = "/mcp", info, origins = [], auth, oauth } = options;
  if (typeof path !== "string" || !/^(?:\/[^/{}*?#]+)+$/.test(path))
    throw rejected(`has the path ${shown(path)}: a literal path is allowed`);
  if (typeof info?.name !== "string" || typeof info.version !== "string")
    throw rejected("has no info: { name, version } is what clients are told");
  const odd = [origins].flat().find((origin) => originOf(origin) !== origin);
  if (odd !== undefined) throw rejected(`has ${shown(odd)} among its origins: https://agent.example is one`);
  if (auth !== undefined && typeof auth?.handle !== "function") throw rejected("has an auth that is no middleware");
  const { resource } = oauth ?? {};
  if (resource !== undefined && !URL.canParse(resource))
    throw rejected(`has the resource ${shown(resource)}: a URL is allowed`);
  return { ...options, ...numbersOf(options), path, info, origins };
}

function numbersOf(options: McpMiddlewareOptions): typeof defaults {
  const numbers = { ...defaults };
  for (const name of Object.keys(defaults) as (keyof typeof defaults)[]) {
    const value = options[name] ?? defaults[name];
    if (!Number.isSafeInteger(value) || value < 0 || value >= 2 ** 31)
      throw rejected(`has ${name} ${shown(value)}: a whole number from 0 is allowed`);
    numbers[name] = value;
  }
  return numbers;
}

/** The origin of a URL, or undefined. */
export const originOf = (url: unknown): string | undefined =>
  typeof url === "string" && URL.canParse(url) ? new URL(url).origin : undefined;

const rejected = (what: string): TypeError => usageError("MIDDLEWARE_INVALID", `McpMiddleware ${what}`);

/**
 * Versions: routes of one method and pattern, of which a request gets one by a header, or by its Accept.
 *
 *   group "1": GET /users/{id} ─┐
 *   group "2": GET /users/{id} ─┴─▶ one entry of the router ──▶ API-Version: 2 ──▶ the chain of "2"
 *                                                          └──▶ a version that it does not have ──▶ 400, by Accept 406
 *
 * The entry of a route without versions is its own chain, so such a route does nothing of this.
 *
 * Spec: spec/versions.md
 */
import type { Context, ResponseHook } from "../http/context.ts";
import { noHeaders, type Rejection } from "../internal/errors.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { shown, usageError } from "../internal/usage-errors.ts";

/** Where a request says which version of the API it wants. */
export type VersionedBy = (
  | {
      /** The name of a header, such as `API-Version`. A response has it too. */
      readonly header: string;
    }
  | {
      /** The media type of `Accept`, with `*` for the version: `application/vnd.shop.v*+json`. JSON gets it as Content-Type. */
      readonly mediaType: string;
    }
) & {
  /** The version of requests that name none. Without it such a request is rejected. */
  readonly default?: string | undefined;
};

/** A version for the options of a route or a group. Made by {@link apiVersions}. */
export interface ApiVersion {
  readonly name: string;
  readonly by: VersionSelector;
}

/** How a request is read. */
export interface VersionSelector {
  /** The request header that decides, for `Vary`. */
  readonly field: string;
  readonly default: string | undefined;
  /** The status of a request for a version that there is not. */
  readonly status: 400 | 406;
  /** The names in the request, the most wanted first. Empty when it names none. */
  wanted(ctx: Context): readonly string[];
  /** The value of the field for a version. */
  valueOf(name: string): string;
}

const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/**
 * The versions of an API by a header or by the media type. Routes of one path may then differ in their version.
 *
 * @throws TypeError (`ROUTE_OPTIONS`) when neither is allowed as given, or the name of a version is not.
 * @example
 * ```ts
 * const version = apiVersions({ header: "API-Version", default: "1" });
 * app.group("", { version: version("1") }, (v1) => v1.get("/users/{id}", () => ({ name: "Ada Lovelace" })));
 * app.group("", { version: version("2") }, (v2) => v2.get("/users/{id}", () => ({ first: "Ada", last: "Lovelace" })));
 * ```
 */
export function apiVersions(by: VersionedBy): (name: string) => ApiVersion {
  checkOptionNames("apiVersions", by, ["header", "mediaType", "default"], "ROUTE_OPTIONS");
  const given: { readonly header?: unknown; readonly mediaType?: unknown } = by;
  if ((given.header === undefined) === (given.mediaType === undefined))
    throw usageError("ROUTE_OPTIONS", "apiVersions has either a header or a mediaType");
  const selector =
    given.header === undefined ? byMediaType(given.mediaType, by.default) : byHeader(given.header, by.default);
  const named = (name: string): ApiVersion => {
    if (typeof name === "string" && namePattern.test(name)) return { name, by: selector };
    throw usageError("ROUTE_OPTIONS", `a version has the name ${shown(name)}: ${String(namePattern)} is allowed`);
  };
  if (by.default !== undefined) named(by.default);
  return named;
}

function byHeader(header: unknown, byDefault: string | undefined): VersionSelector {
  if (typeof header !== "string" || !/^[A-Za-z0-9-]+$/.test(header))
    throw usageError(
      "ROUTE_OPTIONS",
      `apiVersions has header: ${shown(header)}: a name such as API-Version is allowed`,
    );
  const wanted = (ctx: Context): readonly string[] => {
    const value = ctx.header(header);
    return value === undefined ? [] : [value];
  };
  return { field: header, default: byDefault, status: 400, wanted, valueOf: (name) => name };
}

function byMediaType(template: unknown, byDefault: string | undefined): VersionSelector {
  if (typeof template !== "string" || !/^[a-z]+\/[a-z0-9.+-]*\*[a-z0-9.+-]*$/.test(template))
    throw usageError(
      "ROUTE_OPTIONS",
      `apiVersions has mediaType: ${shown(template)}: one with * for the version, application/vnd.shop.v*+json, is allowed`,
    );
  const [before = "", after = ""] = template.split("*");
  const wanted = (ctx: Context): readonly string[] =>
    rangesOf(ctx.header("accept") ?? "").flatMap((range) =>
      range.length > before.length + after.length && range.startsWith(before) && range.endsWith(after)
        ? [range.slice(before.length, range.length - after.length)]
        : [],
    );
  return { field: "Accept", default: byDefault, status: 406, wanted, valueOf: (name) => `${before}${name}${after}` };
}

/** The media ranges of an Accept in lower case, the most wanted first. Those with the weight 0 are left out. */
function rangesOf(accept: string): readonly string[] {
  const weighted = accept
    .toLowerCase()
    .split(",")
    .map((range) => {
      const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
      const weight = parameters.find((one) => one.startsWith("q="));
      return { type, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    });
  return weighted
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ type }) => type);
}

/** The option of a route or a group. */
interface Versioned {
  readonly version?: ApiVersion | undefined;
}

/** The version of a route: its own, else that of the nearest group. */
export const versionOf = (contracts: readonly Versioned[]): ApiVersion | undefined =>
  contracts.findLast(({ version }) => version !== undefined)?.version;

/** @throws TypeError (`ROUTE_OPTIONS`) when it was not made by {@link apiVersions}. */
export function checkVersion(where: string, { version }: Versioned): void {
  if (version === undefined || typeof version?.by?.wanted === "function") return;
  throw usageError(
    "ROUTE_OPTIONS",
    `${where} has version: ${shown(version)}: what apiVersions({ header })("1") returns is allowed`,
  );
}

/** The versions registered so far, by method and pattern. */
export class KnownVersions {
  readonly #known: Map<string, ApiVersion[]> = new Map();

  /**
   * Adds a version of a route. False for the first one of that method and pattern.
   *
   * @throws TypeError (`ROUTE_DUPLICATE`, `ROUTE_OPTIONS`) when it is there, or the others are chosen in another way.
   */
  add(where: string, version: ApiVersion): boolean {
    const known = this.#known.get(where);
    if (known === undefined) {
      this.#known.set(where, [version]);
      return false;
    }
    const [{ by }] = known as [ApiVersion];
    if (by !== version.by)
      throw usageError(
        "ROUTE_OPTIONS",
        `${where} has versions of two apiVersions(): by ${by.field} and by ${version.by.field}`,
      );
    if (known.some(({ name }) => name === version.name))
      throw usageError("ROUTE_DUPLICATE", `${where} is registered already in version ${version.name}`);
    known.push(version);
    return true;
  }
}

/** The version that a request gets, or undefined when there is none for it. */
export function chosen<T>(ctx: Context, by: VersionSelector, versions: ReadonlyMap<string, T>): T | undefined {
  const wanted = by.wanted(ctx);
  if (wanted.length === 0) return by.default === undefined ? undefined : versions.get(by.default);
  const name = wanted.find((one) => versions.has(one));
  return name === undefined ? undefined : versions.get(name);
}

/** The rejection of a request for a version that its route does not have. */
export const noVersion = (by: VersionSelector, names: readonly string[]) => (): Rejection => {
  const allowed = names.map((name) => by.valueOf(name)).join(", ");
  return {
    status: by.status,
    message: `${by.field} can be ${allowed} here`,
    headers: noHeaders,
    code: "version_unknown",
  };
};

/** Names the version in the response: in the header, or as the media type of JSON that was asked for with it. */
export function versionHook({ name, by }: ApiVersion): ResponseHook {
  const value = by.valueOf(name);
  if (by.status === 400) return (_ctx, response) => ({ ...response, headers: [...response.headers, by.field, value] });
  return (ctx, response) => {
    if (!by.wanted(ctx).includes(name)) return undefined;
    const { headers } = response;
    const isType = (at: number): boolean => at % 2 === 1 && headers[at - 1]?.toLowerCase() === "content-type";
    return { ...response, headers: headers.map((one, at) => (isType(at) && one === "application/json" ? value : one)) };
  };
}

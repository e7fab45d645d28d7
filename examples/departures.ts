/**
 * Holds responses against the OpenAPI document that they are promised by: tests of the examples do it with each of theirs.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { OpenApiDocument } from "framework/openapi";

/** The part of a response that a document describes. */
export interface DescribedResponse {
  readonly status: number;
  /** Its `Content-Type`; null without one. */
  readonly type: string | null;
  /** The value, where it is JSON; empty text or undefined without content. */
  readonly body: unknown;
}

/** What of a response its operation does not name; empty where it fits, or where no operation is at that path. */
export type Departures = (method: string, path: string, response: DescribedResponse) => readonly string[];

interface Media {
  readonly schema: object;
}
interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>;
  readonly components: object;
}

/** Compares responses with that document. Schemas are compiled when a response first needs them. */
export function departuresFrom(document: OpenApiDocument): Departures {
  const { paths, components } = document as unknown as Described;
  const items = Object.entries(paths).map(
    ([template, item]) => [new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`), item] as const,
  );
  const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
  const checks = new Map<Media, ValidateFunction>();
  const checkOf = (media: Media): ValidateFunction => {
    const check = checks.get(media) ?? ajv.compile({ ...media.schema, components });
    checks.set(media, check);
    return check;
  };
  return (method, path, { status, type, body }) => {
    const [pathname = ""] = path.split("?");
    const candidates = items
      .filter(([pattern]) => pattern.test(pathname))
      .map(([, item]) => item[method.toLowerCase()]);
    const responses = candidates.find((one) => one !== undefined)?.responses;
    if (responses === undefined) return [];
    const response = responses[status] ?? (status >= 400 ? responses["default"] : undefined);
    if (response === undefined) return [`${status} is not documented`];
    if (response.content === undefined) return (body ?? "") === "" ? [] : ["there is content"];
    const media = response.content[type?.split(";")[0] ?? ""];
    if (media === undefined) return [`${type} is not documented for ${status}`];
    const check = checkOf(media);
    return check(body) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

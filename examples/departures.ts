/**
 * Compares responses with their OpenAPI document. The examples' tests do so with each of their responses.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { OpenApiDocument } from "framework/openapi";

/** The part of a response that a document describes. */
export interface DescribedResponse {
  readonly status: number;
  /** Its `Content-Type`, or null without one. */
  readonly type: string | null;
  /** The value, if it is JSON. Empty text or undefined without content. */
  readonly body: unknown;
}

/** The differences from the operation, empty if the response matches, or if there is no operation at that path. */
export type Departures = (method: string, path: string, response: DescribedResponse) => readonly string[];

interface Media {
  readonly schema?: object;
  /** Of each row or event. */
  readonly itemSchema?: object;
}
interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>;
  readonly components: object;
}

/** Compares responses with that document. A schema is compiled when a response first needs it. */
export function departuresFrom(document: OpenApiDocument): Departures {
  const { paths, components } = document as unknown as Described;
  const items = Object.entries(paths).map(
    ([template, item]) => [new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`), item] as const,
  );
  const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
  const checks = new Map<Media, ValidateFunction>();
  const checkOf = (media: Media): ValidateFunction => {
    const check = checks.get(media) ?? ajv.compile({ ...(media.itemSchema ?? media.schema), components });
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
    const values = media.itemSchema === undefined ? [body] : itemsOf(String(body));
    return values.flatMap((value) =>
      check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`),
    );
  };
}

/** The rows of lines of JSON, or the events of an event stream. */
export function itemsOf(text: string): readonly unknown[] {
  if (!/^(?:event|id|data):/.test(text))
    return text
      .split("\n")
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line));
  const events = text.split("\n\n").filter(Boolean);
  return events.map(
    (event) => Object.fromEntries(event.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2))) as unknown,
  );
}

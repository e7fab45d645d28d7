/** The body of a response as a vector reads it: out of its coding, as JSON, and at a pointer. */
import { gunzipSync } from "node:zlib";
import { plainJson, type HttpResponse } from "../kit/response.ts";

/** The body as a text, as it was before it was put into gzip. */
export function bodyTextOf(response: HttpResponse): string {
  if (response.header("content-encoding")?.toLowerCase() !== "gzip") return response.text;
  try {
    return gunzipSync(response.bytes).toString("utf8");
  } catch {
    return response.text;
  }
}

/** The body as JSON; undefined, which no JSON is, where it is none. */
export function jsonOf(response: HttpResponse): unknown {
  try {
    return JSON.parse(bodyTextOf(response));
  } catch {
    return undefined;
  }
}

/** The body as a text; where it is JSON, in the spelling that `JSON.stringify` has. */
export const plainTextOf = (response: HttpResponse): string => plainJson(bodyTextOf(response));

/** What stands there in the body; undefined where nothing does. */
export function valueAt(response: HttpResponse, pointer: string): unknown {
  return below(jsonOf(response), pointer.split("/").slice(1));
}

function below(value: unknown, [step, ...more]: readonly string[]): unknown {
  if (step === undefined || value === undefined) return value;
  if (step !== "*") return below(memberOf(value, step), more);
  if (!Array.isArray(value)) return undefined;
  return value.map((one) => below(one, more)).filter((one) => one !== undefined);
}

function memberOf(value: unknown, escaped: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const step = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
  const [, conditions] = /^\[(.+=.*)\]$/.exec(step) ?? [];
  if (conditions === undefined) return isNameIn(value, step) ? (Reflect.get(value, step) as unknown) : undefined;
  if (!Array.isArray(value)) return undefined;
  const wanted = conditions.split("&").map((one) => one.split("="));
  return value.find((one: unknown) =>
    wanted.every(([name = "", text]) => textOf(memberOf(one, name)) === text),
  ) as unknown;
}

const textOf = (value: unknown): unknown => (typeof value === "string" ? value : JSON.stringify(value));

const isNameIn = (value: object, step: string): boolean =>
  Object.hasOwn(value, step) && (!Array.isArray(value) || /^\d+$/.test(step));

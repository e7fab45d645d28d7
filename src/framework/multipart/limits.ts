/**
 * Limits of a multipart body. The route's `maxBodyBytes` bounds all of its bytes.
 *
 * Spec: spec/multipart.md
 */
import { BadRequestError, HttpError } from "../internal/errors.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { usageError } from "../internal/usage-errors.ts";

/** The limits of a body. Sizes in bytes. */
export interface MultipartLimits {
  /** Parts, that is, fields and files together. Default 1,000. */
  readonly parts?: number | undefined;
  /** Default 100. */
  readonly files?: number | undefined;
  /** Of one file. Default: the limit of the body. */
  readonly fileBytes?: number | undefined;
  /** Of one field's value. Default 64 KiB. */
  readonly fieldBytes?: number | undefined;
  /** Of the name of a part, and of a file. Default 255. */
  readonly nameBytes?: number | undefined;
}

/** Limits with every gap filled. */
export type FilledLimits = { readonly [K in keyof MultipartLimits]-?: number };

const defaults: FilledLimits = {
  parts: 1_000,
  files: 100,
  fileBytes: Number.MAX_SAFE_INTEGER,
  fieldBytes: 65_536,
  nameBytes: 255,
};

/** @throws TypeError naming the limit, its value and the allowed values. */
export function limitsOf(given: MultipartLimits): FilledLimits {
  checkOptionNames("multipart", given, Object.keys(defaults), "MULTIPART");
  for (const [name, value] of Object.entries(given) as [string, unknown][])
    if (value !== undefined && !(typeof value === "number" && Number.isSafeInteger(value) && value >= 0))
      throw usageError("MULTIPART", `multipart: ${name} is ${String(value)}: a whole number from 0 on is allowed`);
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) };
}

/** The rest of such a body is not read, so its connection closes. */
const headers = { Connection: "close" };

/** 413: a limit is exceeded. */
export const tooMuch = (sentence: string): HttpError => new HttpError(413, sentence, { headers });

/** 400: not a multipart body, or an incomplete one. */
export const malformed = (sentence: string, cause?: unknown): BadRequestError =>
  new BadRequestError(sentence, { headers, cause });

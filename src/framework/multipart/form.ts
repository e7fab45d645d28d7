/**
 * multipartForm: a form with files as the body of a contract.
 *
 *   app.post("/pictures", { body: multipartForm({ fields: Caption, files: { picture: { maxBytes: 5_000_000 } } }) }, …)
 *   ctx.input.body ──▶ { fields, files: { picture } }      rejected by the rules ──▶ 422, each issue with its pointer
 *
 * The files of such a form are in memory, so each needs a size limit. For larger ones use `multipart(ctx)`.
 *
 * Spec: spec/multipart.md, spec/contracts.md
 */
import type { FormParts, MultipartBody } from "../contract/form-body.ts";
import type { BodyOf, Schema, SchemaIssue, StandardSchema } from "../contract/schema.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import { type FilledLimits, limitsOf, type MultipartLimits, tooMuch } from "./limits.ts";
import { multipart, type MultipartSource } from "./multipart.ts";
import type { FilePart } from "./parts.ts";

/** The rule for a file of a form. An empty file input, without a name and without bytes, is not a file. */
export interface FileRule {
  /** Its maximum size, which is also bounded by the route's `maxBodyBytes`. */
  readonly maxBytes: number;
  /** The accepted media types, e.g. `image/png`, `image/*`. Any by default. The client chooses the type, so it proves nothing. */
  readonly types?: readonly string[] | undefined;
  /** True when it may be missing. */
  readonly optional?: boolean | undefined;
  /** The maximum number of files. `ctx.input.body.files` then holds a list. */
  readonly max?: number | undefined;
}

/** The files of a form, by the names of their fields. */
export type FileRules = Readonly<Record<string, FileRule>>;

/** A file that has been received whole. */
export interface UploadedFile {
  /** Safe as one segment of a path. */
  readonly filename: string;
  /** Exactly as it was sent. */
  readonly rawFilename: string | undefined;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The files as a handler gets them: a list with `max`, undefined when one is optional and missing. */
export type FilesOf<R> = {
  readonly [K in keyof R]: R[K] extends { readonly max: number }
    ? readonly UploadedFile[]
    : R[K] extends { readonly optional: true }
      ? UploadedFile | undefined
      : UploadedFile;
};

/** The type of `ctx.input.body`. */
export interface MultipartValue<S, R> {
  readonly fields: BodyOf<S>;
  readonly files: FilesOf<R>;
}

/** The options of {@link multipartForm}. */
export interface MultipartFormOptions<S extends Schema, R extends FileRules> {
  /** The schema of the fields: texts, or lists of them when a name is repeated or the schema says array. */
  readonly fields?: S | undefined;
  readonly files?: R | undefined;
  readonly limits?: MultipartLimits | undefined;
}

/** A form with files, as the body of a contract. */
export type MultipartForm<S extends Schema, R extends FileRules> = MultipartBody<S, FilesOf<R>>;

/** The rules of a form without files. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- there are none
type NoFiles = Readonly<Record<never, FileRule>>;

/** Any fields, accepted by a form without a schema for them. */
type AnyFields = StandardSchema<Readonly<Record<string, string | readonly string[]>>>;

const described = (): object => ({ type: "object", properties: {} });
const anyFields = {
  "~standard": {
    version: 1 as const,
    vendor: "framework",
    jsonSchema: { input: described, output: described },
    validate: (value: unknown) => ({ value }),
  },
};

/**
 * The body of a contract that is `multipart/form-data`.
 *
 * @throws TypeError naming an invalid option, rule or limit.
 *
 * @example
 * ```ts
 * const picture = multipartForm({ files: { picture: { maxBytes: 5_000_000, types: ["image/png"] } } });
 * app.put("/users/{id}/picture", { body: picture, maxBodyBytes: 6_000_000 }, (ctx) => {
 *   const { filename, bytes } = ctx.input.body.files.picture;
 *   return { filename, bytes: bytes.length };
 * });
 * ```
 */
export function multipartForm<S extends Schema = AnyFields, const R extends FileRules = NoFiles>(
  options: MultipartFormOptions<S, R>,
): MultipartForm<S, R> {
  checkOptionNames("multipartForm", options, ["fields", "files", "limits"], "MULTIPART");
  const rules = new Map<string, FileRule>(Object.entries(options.files ?? {}));
  for (const [name, rule] of rules) checkRule(name, rule);
  const limits = limitsOf(options.limits ?? {});
  const documented = [...rules].map(([name, rule]) => [
    name,
    { schema: schemaOf(rule), isRequired: rule.optional !== true },
  ]);
  return {
    form: (options.fields ?? anyFields) as S,
    multipart: {
      files: Object.fromEntries(documented) as MultipartForm<S, R>["multipart"]["files"],
      read: (source) => readForm(source, rules, limits) as Promise<FormParts<FilesOf<R>>>,
    },
  };
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1;
const range = /^[\w!#$&^.+-]+\/(?:\*|[\w!#$&^.+-]+)$/;
const areTypes = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((type) => typeof type === "string" && range.test(type));

/** The check of each setting of a rule, if it is set, and its description in messages. */
const allowed: { readonly [K in keyof FileRule]-?: readonly [is: (value: unknown) => boolean, sentence: string] } = {
  maxBytes: [isCount, "a whole number from 1 on is"],
  types: [areTypes, "a list of media types such as image/png and image/* is"],
  optional: [(value) => typeof value === "boolean", "true or false is"],
  max: [isCount, "a whole number from 1 on is"],
};

/** @throws TypeError naming the setting, its value and the allowed values. */
function checkRule(name: string, rule: FileRule): void {
  const file = `the file ${JSON.stringify(name)}`;
  checkOptionNames(`multipartForm: ${file}`, rule, Object.keys(allowed), "MULTIPART");
  for (const [setting, [is, sentence]] of Object.entries(allowed)) {
    const value = rule[setting as keyof FileRule];
    if ((value !== undefined || setting === "maxBytes") && !is(value))
      throw usageError("MULTIPART", `multipartForm: ${setting} of ${file} is ${shown(value)}: ${sentence} allowed`);
  }
}

/** OpenAPI 3.1 and 3.2 describe a file by its media type alone. */
function schemaOf({ max, types }: FileRule): Readonly<Record<string, unknown>> {
  const only = types?.length === 1 ? types[0] : undefined;
  const file = { type: "string", contentMediaType: only ?? "application/octet-stream" };
  return max === undefined ? file : { type: "array", items: file, maxItems: max };
}

async function readForm(
  source: MultipartSource,
  rules: ReadonlyMap<string, FileRule>,
  limits: FilledLimits,
): Promise<FormParts<unknown>> {
  const fields: Record<string, string[]> = Object.create(null);
  const files: Record<string, UploadedFile[]> = Object.create(null);
  const issues: SchemaIssue[] = [];
  for await (const part of multipart(source, limits)) {
    const { name } = part;
    if (part.kind === "field") {
      if (rules.has(name)) issues.push({ path: [name], message: "a file is expected" });
      else (fields[name] ??= []).push(part.value);
      continue;
    }
    if (await wasLeftEmpty(part)) continue;
    const rule = rules.get(name);
    const message = rule === undefined ? "no file is expected" : rejection(part, rule, files[name]?.length ?? 0);
    if (message !== undefined) issues.push({ path: [name], message });
    else if (rule !== undefined) (files[name] ??= []).push(await received(part, rule.maxBytes));
  }
  for (const [name, rule] of rules)
    if (files[name] === undefined && rule.optional !== true && !issues.some(({ path }) => path[0] === name))
      issues.push({ path: [name], message: "a file is expected" });
  const values = [...rules].map(([name, { max }]) => [
    name,
    max === undefined ? files[name]?.[0] : (files[name] ?? []),
  ]);
  return { fields, files: Object.fromEntries(values) as unknown, issues };
}

/** Browsers send an untouched file input as a file without a name and without bytes. */
const wasLeftEmpty = async (part: FilePart): Promise<boolean> =>
  (part.rawFilename === undefined || part.rawFilename === "") && part.isEmpty();

function rejection({ mediaType }: FilePart, { types, max = 1 }: FileRule, count: number): string | undefined {
  if (count >= max) return `at most ${max === 1 ? "one file is" : `${max} files are`} allowed`;
  if (types === undefined || types.some((type) => fits(mediaType, type.toLowerCase()))) return undefined;
  return `its type is ${mediaType.slice(0, 64)}: ${types.join(", ")} ${types.length === 1 ? "is" : "are"} allowed`;
}

const fits = (mediaType: string, type: string): boolean =>
  type === mediaType || (type.endsWith("/*") && mediaType.startsWith(type.slice(0, -1)));

/** @throws HttpError (413) past the limit. */
async function received(part: FilePart, maxBytes: number): Promise<UploadedFile> {
  const { filename, rawFilename, mediaType, name } = part;
  part.limit(maxBytes, () => tooMuch(`the file ${JSON.stringify(name)} may have at most ${maxBytes} bytes`));
  return { filename, rawFilename, mediaType, bytes: await part.bytes() };
}

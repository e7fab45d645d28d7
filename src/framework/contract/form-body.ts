/**
 * Bodies that are forms: urlencoded ones, and those with files, which `framework/multipart` reads.
 *
 *   fields by name ──▶ texts, or lists of them ──▶ the schema of the fields ──┐
 *   files by name, held against their own rules ──────────────────────────────┴──▶ { fields, files }, or the issues
 *
 * Spec: spec/contracts.md, spec/multipart.md
 */
import type { JsonSchemaSource } from "./json-schema.ts";
import { type Checked, type Checker, isRejected, type Schema, type SchemaIssue } from "./schema.ts";

/** A body of `application/x-www-form-urlencoded`. Made by `form`. */
export interface FormBody<S extends Schema = Schema> {
  readonly form: S;
}

/** A body of `multipart/form-data`. Made by `multipartForm` of `framework/multipart`. */
export interface MultipartBody<S extends Schema = Schema, Files = unknown> extends FormBody<S> {
  readonly multipart: MultipartReader<Files>;
}

/** How the files of a form are read, and what documents say of them. */
export interface MultipartReader<Files> {
  readonly files: Readonly<Record<string, { readonly schema: JsonSchemaSource; readonly isRequired: boolean }>>;
  /** @throws (rejects) HttpError as reading a body does. */
  read(source: BodySource): Promise<FormParts<Files>>;
}

/** What a body is read from. */
export interface BodySource {
  header(name: string): string | undefined;
  bodyAsStream(): ReadableStream<Uint8Array>;
}

/** What a form holds. */
export interface FormParts<Files> {
  /** All values of each field, in order (null-prototype object). */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly files: Files;
  /** What the rules of the files reject. */
  readonly issues: readonly SchemaIssue[];
}

/** Holds a whole form with files against its rules, by what holds its fields. */
export function formChecker(fields: (values: FormParts<unknown>["fields"]) => Checked | Promise<Checked>): Checker {
  return function checkForm(form) {
    const parts = form as FormParts<unknown>;
    const checked = fields(parts.fields);
    return checked instanceof Promise ? checked.then((late) => joined(parts, late)) : joined(parts, checked);
  };
}

function joined({ files, issues }: FormParts<unknown>, fields: Checked): Checked {
  if (isRejected(fields)) return { issues: [...fields.issues, ...issues] };
  return issues.length > 0 ? { issues } : { value: { fields: fields.value, files } };
}

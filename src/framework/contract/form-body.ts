/**
 * Form bodies: urlencoded ones, and those with files, which `framework/multipart` reads.
 *
 *   fields by name ──▶ texts, or lists of them ──▶ the schema of the fields ──┐
 *   files by name, checked against their own rules─────────────────────────────┴──▶ { fields, files }, or the issues
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

/** How the files of a form are read, and their documentation. */
export interface MultipartReader<Files> {
  readonly files: Readonly<Record<string, { readonly schema: JsonSchemaSource; readonly isRequired: boolean }>>;
  /** @throws (rejects) the HttpErrors of reading a body. */
  read(source: BodySource): Promise<FormParts<Files>>;
}

/** The source of a body. */
export interface BodySource {
  header(name: string): string | undefined;
  bodyAsStream(): ReadableStream<Uint8Array>;
}

/** The contents of a form. */
export interface FormParts<Files> {
  /** All values of each field, in order (null-prototype object). */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly files: Files;
  /** Issues of the file rules. */
  readonly issues: readonly SchemaIssue[];
}

/** Checks a whole form with files, with the given checker of its fields. */
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

/**
 * Schemas without a library: a check for values, and the equivalent JSON Schema for documentation. They are written next to each
 * other.
 *
 *   value ──▶ check ──▶ the value as it is used, or each mistake ──▶ one 422
 */

/** An error and its place. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A Standard Schema (https://standardschema.dev) with a JSON Schema. */
export interface Schema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "own";
    readonly types?: { readonly input: T; readonly output: T } | undefined;
    validate(value: unknown): { readonly value: T } | { readonly issues: readonly Issue[] };
    readonly jsonSchema: { input(): object; output(): object };
  };
}

/** A schema of a request. */
export function checked<T>(
  jsonSchema: object,
  validate: (value: unknown) => { readonly value: T } | { readonly issues: readonly Issue[] },
): Schema<T> {
  return {
    "~standard": {
      version: 1,
      vendor: "own",
      validate,
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
    },
  };
}

/** A schema of a response, which the compiler has already checked. */
export const documented = <T>(jsonSchema: object): Schema<T> => checked(jsonSchema, (value) => ({ value: value as T }));

/** The members of an object, with an issue for each that is not among `known`, or undefined if it is not an object. */
export function membersOf(
  value: unknown,
  known: readonly string[],
): { readonly members: Readonly<Record<string, unknown>>; readonly issues: Issue[] } | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  return { members: { ...value }, issues: unknown.map((name) => ({ path: [name], message: "is unknown" })) };
}

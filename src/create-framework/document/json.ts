/**
 * Unchecked JSON of a document, read piece by piece with its actual types.
 */

/** An object. */
export type Json = Readonly<Record<string, unknown>>;

/** Is it an object and not a list? */
export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The object, or an empty one. */
export const objectIn = (value: unknown): Json => (isJson(value) ? value : {});

/** The list, or an empty one. */
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** The text, or undefined. */
export const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The texts of a list. */
export const textsIn = (value: unknown): readonly string[] =>
  listIn(value).filter((one): one is string => typeof one === "string");

/** Does the object itself have that member? */
export const has = (value: Json, name: string): boolean => Object.hasOwn(value, name);

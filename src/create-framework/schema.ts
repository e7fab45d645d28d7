/**
 * The libraries that a project may check request bodies with. Each has a layer of templates of its name.
 */

/** zod unless another is asked for; `none` writes the checks out. */
export const schemas = ["zod", "valibot", "typebox", "none"] as const;

/** One of them. */
export type Schema = (typeof schemas)[number];

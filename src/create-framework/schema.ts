/**
 * The libraries with which a project may validate request bodies. Each has a layer of templates with its name.
 */

/** zod by default; `none` writes the checks out. */
export const schemas = ["zod", "valibot", "typebox", "none"] as const;

/** One of them. */
export type Schema = (typeof schemas)[number];

/** The engines of jobs of a project: pg-boss on PostgreSQL, or BullMQ on Redis. */
export const workEngines = ["pg", "redis"] as const;
/** One of them. */
export type WorkEngineName = (typeof workEngines)[number];

/** framework/static: files of a folder. Needs the optional peer `@fastify/send`. */
export { StaticMiddleware } from "./static.ts";
export type { PrecompressedCoding, StaticOptions } from "./options.ts";

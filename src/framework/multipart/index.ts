/**
 * framework/multipart: forms with files (multipart/form-data, RFC 7578). Exports only.
 *
 * Needs the optional peer `@fastify/busboy`, which finds the parts in the bytes.
 */
export { multipart, type MultipartSource } from "./multipart.ts";
export { type MultipartLimits } from "./limits.ts";
export { type FieldPart, type FilePart, type Part, type SavedFile, type SaveOptions } from "./parts.ts";
export {
  multipartForm,
  type FileRule,
  type FileRules,
  type MultipartForm,
  type MultipartFormOptions,
  type MultipartValue,
  type UploadedFile,
} from "./form.ts";

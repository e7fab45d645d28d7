/** The schemas of problems (RFC 9457), the format of every error response of the framework. */
import type { JsonSchemaSource } from "../contract/json-schema.ts";
import type { Schemas } from "../contract/named-schemas.ts";

/** Adds them to the components. Returns the reference to a problem. */
export function problemSchemas(schemas: Schemas): JsonSchemaSource {
  const issue = schemas.add("ProblemIssue", {
    type: "object",
    description: "What a schema rejects, and where",
    properties: {
      in: { type: "string", enum: ["params", "query", "headers", "cookies", "body"] },
      path: { type: "array", items: { type: ["string", "integer"] } },
      pointer: { type: "string", description: "The same path as a JSON pointer (RFC 6901)" },
      message: { type: "string" },
    },
    required: ["path", "message"],
  });
  return schemas.add("Problem", {
    type: "object",
    description: "What went wrong (RFC 9457)",
    properties: {
      type: { type: "string" },
      title: { type: "string" },
      status: { type: "integer", minimum: 400, maximum: 599 },
      detail: { type: "string" },
      code: { type: "string" },
      errors: { type: "array", items: issue },
      moreErrors: { type: "integer", minimum: 1, description: "How many there are at least beside those in errors" },
    },
    required: ["type", "title", "status"],
  });
}

/**
 * The OpenAPI document's parts besides the routes. It is served at /openapi.json, and `npm run openapi` writes it.
 */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { OpenApiOptions } from "framework/openapi";
import type { GenericSchema } from "valibot";

export const documentOptions: OpenApiOptions = {
  info: { title: "{{name}}", version: "0.1.0" },
  // Rules that JSON Schema cannot express, such as trimming, are left out.
  jsonSchemaOf: (schema: GenericSchema, side) => toJsonSchema(schema, { typeMode: side, errorMode: "ignore" }),
};

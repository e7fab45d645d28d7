/**
 * What the OpenAPI document says besides the routes: it is served at /openapi.json, and `npm run openapi` writes it.
 */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { OpenApiOptions } from "framework/openapi";
import type { GenericSchema } from "valibot";

export const documentOptions: OpenApiOptions = {
  info: { title: "{{name}}", version: "0.1.0" },
  // Prometheus reads it, clients do not.
  include: ({ path }) => path !== "/metrics",
  // What a JSON Schema cannot say, such as trimming, is left out of it.
  jsonSchemaOf: (schema: GenericSchema, side) => toJsonSchema(schema, { typeMode: side, errorMode: "ignore" }),
};

/**
 * The OpenAPI document's parts besides the routes. It is served at /openapi.json, and `npm run openapi` writes it.
 */
import type { OpenApiOptions } from "framework/openapi";

export const documentOptions: OpenApiOptions = { info: { title: "{{name}}", version: "0.1.0" } };

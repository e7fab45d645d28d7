/** framework/openapi: the OpenAPI document of an app, and the middleware that serves it. No dependency. */
export {
  type JsonSchemaOf,
  openApi,
  type OpenApiDocument,
  type OpenApiOptions,
  type SecurityScheme,
} from "./document.ts";
export { OpenApiMiddleware, type OpenApiMiddlewareOptions } from "./middleware.ts";

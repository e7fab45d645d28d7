/**
 * The parts of Conduit's OpenAPI document besides its routes. The document itself is served at /openapi.json.
 */
import { Framework } from "framework";
import { openApi, type OpenApiDocument, type OpenApiOptions } from "framework/openapi";
import { errorBody } from "./contracts.ts";
import { addRoutes } from "./routes.ts";

export const documentOptions: OpenApiOptions = {
  info: {
    title: "Conduit",
    version: "2.0.0",
    description: "The RealWorld API, version 2.0.0.",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "https://conduit.example" }],
  tags: [
    { name: "User and Authentication", description: "One's own account" },
    { name: "Profile", description: "Other users" },
    { name: "Articles", description: "What users write" },
    { name: "Comments", description: "What readers say" },
    { name: "Favorites", description: "What readers like" },
    { name: "Tags", description: "What articles are about" },
  ],
  security: [],
  securitySchemes: {
    Token: { type: "apiKey", in: "header", name: "Authorization", description: "`Token <jwt>`, of a log-in" },
  },
  errorBody,
  include: ({ path }) => path.startsWith("/api/"),
};

/** The document without a server or a database, made only from the routes' declarations. */
export function conduitDocument(version?: OpenApiOptions["version"]): OpenApiDocument {
  const app = Framework.create();
  addRoutes(app);
  return openApi(app, { ...documentOptions, version });
}

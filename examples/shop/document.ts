/**
 * The parts of the shop's OpenAPI document besides its routes. The document itself is served at /openapi.json.
 */
import { Framework } from "framework";
import { openApi, type OpenApiDocument, type OpenApiOptions } from "framework/openapi";
import { securitySchemes } from "./login.ts";
import { addRoutes } from "./routes.ts";

export const documentOptions: OpenApiOptions = {
  info: {
    title: "Shop",
    version: "1.0.0",
    description: "The demo of the framework: products, orders and a search by QUERY.",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "https://shop.example" }],
  tags: [
    { name: "products", description: "What is for sale" },
    { name: "orders", description: "What was bought" },
    { name: "login", description: "Who is asking" },
    { name: "office", description: "What the people of the shop look at" },
  ],
  security: [],
  securitySchemes,
  /** The newest version of each route. */
  include: ({ path, version }) => !path.startsWith("/metrics") && version?.name !== "1",
};

/** The document without a server or a database, made only from the routes' declarations. */
export function shopDocument(version?: OpenApiOptions["version"]): OpenApiDocument {
  const app = Framework.create();
  addRoutes(app);
  return openApi(app, { ...documentOptions, version });
}

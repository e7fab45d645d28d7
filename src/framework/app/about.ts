/**
 * About: what tools read of an app, beside what an application uses itself.
 */
import type { Class } from "../beans/types.ts";
import type { DeclaredRoute } from "../contract/contract.ts";
import type { SafeLogger } from "../internal/logger.ts";
import type { AppPanel } from "./plugin.ts";

/** What `app.about` is. */
export interface AppAbout {
  /** `/`, or a prefix such as `/shop`. */
  readonly contextPath: string;
  /** The address of the options; undefined where the app listens on every interface. */
  readonly host: string | undefined;
  /** Where the app logs: the given logger, which can no longer throw. */
  readonly logger: SafeLogger;
  /** The routes with their contracts, in the order of their registration: what documents and clients are made of. */
  declaredRoutes(): DeclaredRoute[];
  /** The middleware of that class that is installed, in the app, a group or a route, in order of installation. */
  middlewareOf<T extends object>(type: Class<T>): T[];
  /** The panels of its plugins. */
  panels(): readonly AppPanel[];
}

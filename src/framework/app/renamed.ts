/**
 * The old names of an app's members. Each is an error that says the new one.
 */
import type { RenamedMembers } from "../internal/renamed.ts";

/** Of `Framework`. */
export const renamedOfFramework: RenamedMembers = {
  exception: "app.exception(Class, handler) is app.onError(Class, handler) now",
  error: "app.error(status, handler) is app.onStatus(status, handler) now",
  wrapStart: "app.wrapStart(…) is app.observe({ start }) now",
  wrapBackground: "app.wrapBackground(…) is app.observe({ background }) now",
  onResolve: "app.onResolve(…) is app.observe({ resolve }) now",
  onLog: "app.onLog(…) is app.observe({ log }) now",
  onAnnotation: "app.onAnnotation(…) is app.observe({ annotation }) now",
  panels: "app.panels() is app.about.panels() now",
  middlewareOf: "app.middlewareOf(…) is app.about.middlewareOf(…) now",
  declaredRoutes: "app.declaredRoutes() is app.about.declaredRoutes() now",
  contextPath: "app.contextPath is app.about.contextPath now",
  host: "app.host is app.about.host now",
  logger: "app.logger is app.about.logger now",
};

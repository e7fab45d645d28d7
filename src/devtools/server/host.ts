/**
 * Host: what devtools need of the application and of the bean container, and nothing more.
 *
 * Spec: spec/devtools.md
 */
import type {
  BeanGraph,
  BeanType,
  Class,
  Context,
  LogListener,
  Middleware,
  Next,
  RecordedResponse,
  WorkOrigin,
} from "framework";
import type { PanelInfo, RouteExample, RouteInfo } from "../wire.ts";

/** A route as the application lists it: the body of its example and its contract are JSON, and not typed as such. */
export type HostRoute = Omit<RouteInfo, "example" | "contract"> & {
  readonly example?: (Omit<RouteExample, "body"> & { readonly body?: unknown }) | undefined;
  readonly contract?: object | undefined;
};

/** A panel of a plugin. */
export interface HostPanel extends PanelInfo {
  /** The value as it is now, or a promise of it. May throw. */
  read(): unknown;
}

/** What devtools need of an application; `Framework` has it. */
export interface DevtoolsHost {
  readonly contextPath: string;
  readonly host: string | undefined;
  readonly url: string;
  /** The application's container; undefined while it has none. From its start on it may lie on the one it was given. */
  readonly container?: DevtoolsBeans | undefined;
  readonly logger: { warn(line: string): void };
  wrap(middleware: Middleware | ((ctx: Context, next: Next) => unknown)): unknown;
  /** Missing where there is no work in the background. */
  wrapBackground?(around: (name: string, work: () => unknown, origin?: WorkOrigin) => unknown): unknown;
  /** Missing where listeners of `onStart` are not timed. */
  wrapStart?(around: (name: string, run: () => unknown) => unknown): unknown;
  /** Missing where what is installed is not told. */
  middlewareOf?<T extends object>(type: Class<T>): readonly T[];
  onResolve?(listener: (type: BeanType<object>) => void): unknown;
  /** Missing where lines of requests' logs are not told of. */
  onLog?(listener: LogListener): unknown;
  /** Missing where middleware tells nothing. */
  onAnnotation?(listener: (ctx: Context, name: string, value: unknown) => void): unknown;
  /** Missing where responses are sent as they are recorded. */
  onResponse?(hook: (ctx: Context, response: RecordedResponse) => RecordedResponse | undefined): unknown;
  routes(): readonly HostRoute[];
  /** Missing where there are no plugins. */
  panels?(): readonly HostPanel[];
  /** Checks responses against their contracts where the application leaves it open. */
  checkResponses(checks: "warn"): unknown;
  onStart(listener: () => void | Promise<void>): unknown;
  onStop(listener: () => void | Promise<void>): unknown;
}

/** What devtools need of a bean container. */
export interface DevtoolsBeans {
  graph(): BeanGraph;
  idOf?(type: BeanType<object>): string | undefined;
  /** The container that it lies on. */
  readonly below?: unknown;
}

/**
 * The little that devtools need of the application and of the bean container, and the calls to them.
 *
 * Spec: spec/devtools.md
 */
import type {
  AppJobs,
  AppObserver,
  BeanGraph,
  BeanType,
  Class,
  Context,
  Middleware,
  Next,
  RecordedResponse,
} from "framework";
import type { BeanGraph as ShownGraph, PanelInfo, RouteExample, RouteInfo } from "./run/shapes.ts";

/** A route as the application lists it. `example` and `contract` are untyped JSON. */
export type HostRoute = Omit<RouteInfo, "example" | "contract"> & {
  readonly example?: (Omit<RouteExample, "body"> & { readonly body?: unknown }) | undefined;
  readonly contract?: object | undefined;
};

/** A panel of a plugin. */
export interface HostPanel extends PanelInfo {
  /** The current value, or a promise of it. May throw. */
  read(): unknown;
}

/** What devtools read of an application. */
export interface HostFacts {
  readonly contextPath: string;
  readonly host: string | undefined;
  readonly logger: { warn(line: string): void };
  /** The installed middleware of that class. */
  middlewareOf<T extends object>(type: Class<T>): readonly T[];
  panels(): readonly HostPanel[];
  /** Missing or undefined if it has no jobs. */
  readonly jobs?: AppJobs | undefined;
}

/** What devtools need of an application; `Framework` has it. */
export interface DevtoolsHost {
  readonly about: HostFacts;
  readonly url: string;
  /** The application's container, undefined before it has one. After the start it may lie on top of the given container. */
  readonly container?: DevtoolsBeans | undefined;
  wrap(middleware: Middleware | ((ctx: Context, next: Next) => unknown)): unknown;
  observe(observer: AppObserver): unknown;
  /** Missing if responses are sent as they are recorded. */
  onResponse?(hook: (ctx: Context, response: RecordedResponse) => RecordedResponse | undefined): unknown;
  routes(): readonly HostRoute[];
  onStart(listener: () => void | Promise<void>): unknown;
  onStop(listener: () => void | Promise<void>): unknown;
}

/** What devtools need of a bean container. */
export interface DevtoolsBeans {
  graph(): BeanGraph;
  idOf?(type: BeanType<object>): string | undefined;
  /** The container below it. */
  readonly below?: unknown;
}

/** Used before the application has started its beans. */
export const noContainer: DevtoolsBeans = { graph: () => ({ nodes: [], edges: [], unspied: [] }) };

/** The graph in its wire form. */
export function graphOf(beans: DevtoolsBeans): ShownGraph {
  const { nodes, edges, unspied } = beans.graph();
  return { nodes, edges, unspied };
}

/** @throws Error when the application has another container: devtools would draw one, record the other and show wrong paths */
export function expectOwn({ container }: DevtoolsHost, given: DevtoolsBeans | undefined): void {
  if (container !== undefined && given !== undefined && container !== given && container.below !== given)
    throw new Error(
      "devtools.install(app, beans) was given another container than app.beans(beans): give both the same one",
    );
}

/**
 * Runs a call that configures the application. Too late, its own error would name a call that the user's code does not contain.
 */
export function early(mount: () => unknown): void {
  try {
    mount();
  } catch (cause) {
    if (!(cause instanceof Error) || Reflect.get(cause, "code") !== "APP_STARTED") throw cause;
    throw new Error("devtools.install() came after the app was started: install devtools first, then start", { cause });
  }
}

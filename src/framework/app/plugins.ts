/**
 * Plugins: routes, middleware, beans and a panel under one name, added to an app in one line.
 *
 *   definePlugin({ name, needs, beans, install, panel }) ──▶ app.plugin(mail, { prefix: "/mail", from: "…" })
 *   app.plugin ──▶ name free? ──▶ in its turn: its needs are installed? ──▶ install(scope, options) ──▶ awaited by the start
 *                                                                             └─ fails: the error names the plugin
 *
 * A registration in its scope, which is a separate group, affects its own routes alone. Its beans are available to all. A
 * plugin brings its own installer, so the bundle of an app without plugins contains none of it.
 *
 * Spec: spec/plugins.md
 */
import { type BeanBinder, Builder } from "../beans/builder.ts";
import { text } from "../beans/decorate.ts";
import type { Beans, BeanType } from "../beans/types.ts";
import { Group, placeBelow, type Place } from "../dispatch/registration.ts";
import type { SafeLogger } from "../internal/logger.ts";
import { didYouMean } from "../internal/suggestion.ts";
import { ignore, isThenable } from "../internal/thenable.ts";
import { stateError, usageError } from "../internal/usage-errors.ts";
import type { BackgroundWork } from "./background.ts";

/** How a panel's value is shown: an array of objects as rows, anything as a tree, nodes and edges as a drawing. */
export type PanelKind = "table" | "json" | "graph";

/** The value of a panel of kind `graph`. */
export interface PanelGraph {
  readonly nodes: readonly { readonly id: string; readonly label?: string | undefined }[];
  /** From the id of one node to that of another. */
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** A panel of the dashboard, made of data. Only devtools read it. */
export interface PluginPanel<O extends object = object> {
  readonly title: string;
  readonly kind: PanelKind;
  /** The current value, or a promise of it. It is shown like any value: bounded, with its secrets hidden. */
  read(scope: PluginScope, options: O): unknown;
}

/** The definition of a plugin. */
export interface PluginDefinition<O extends object = object> {
  /** Letters, digits, `.`, `_` and `-`, 64 at most. Unique within an app. */
  readonly name: string;
  /** Names of the plugins that must be installed before it. */
  readonly needs?: readonly string[] | undefined;
  /** Binds its beans. They are built with those of the app, before the start continues. */
  beans?(builder: BeanBinder, options: O): unknown;
  /** Registers its routes and the rest. A promise is awaited before the app listens or handles its first request. */
  install?(scope: PluginScope, options: O): unknown;
  readonly panel?: PluginPanel<O> | undefined;
}

/** A panel of the dashboard, as tools read it. */
export interface AppPanel {
  /** The plugin's. */
  readonly name: string;
  readonly title: string;
  readonly kind: PanelKind;
  /** The current value, or a promise of it. May throw. */
  read(): unknown;
}

/** In the registry of the whole process, so that another copy of this package recognizes a plugin. */
export const pluginsOf: unique symbol = Symbol.for("framework.plugins");

/** The result of `definePlugin`, and the argument of `app.plugin`. */
export interface Plugin<O extends object = object> extends PluginDefinition<O> {
  readonly [pluginsOf]: (host: PluginHost) => Plugins;
}

/** Where a plugin is installed. Its own options are next to this. */
export interface PluginSettings {
  /** The path prefix of its routes, none by default. */
  readonly prefix?: string | undefined;
}

/** The argument after the plugin in `app.plugin(plugin, …)`. It may be omitted when every option is optional. */
export type PluginArguments<O extends object> =
  Partial<O> extends O ? [settings?: PluginSettings & O] : [settings: PluginSettings & O];

/**
 * Defines a plugin. `O` are its options, passed next to `prefix` in `app.plugin`.
 *
 * @throws TypeError (`PLUGIN_INVALID`) on an invalid definition.
 * @example
 * ```ts
 * export const mail = definePlugin<{ from: string }>({
 *   name: "mail",
 *   install(scope, { from }) {
 *     scope.get("/sender", () => ({ from }));
 *   },
 * });
 * ```
 */
export function definePlugin<O extends object = PluginSettings>(definition: PluginDefinition<O>): Plugin<O> {
  return Object.freeze({ ...checkedPlugin(definition), [pluginsOf]: (host: PluginHost) => new Plugins(host) });
}

const kinds: readonly unknown[] = ["table", "json", "graph"] satisfies PanelKind[];
const definitionNames = ["name", "needs", "beans", "install", "panel"] as const;
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @throws TypeError naming the invalid part of the definition. */
export function checkedPlugin<O extends object>(definition: PluginDefinition<O>): PluginDefinition<O> {
  if (typeof definition !== "object" || definition === null)
    throw usageError("PLUGIN_INVALID", `a plugin is what definePlugin({ name, … }) gives, not ${typeof definition}`);
  const { name, needs = [], beans, install, panel } = definition;
  if (typeof name !== "string" || !namePattern.test(name))
    throw usageError(
      "PLUGIN_INVALID",
      `a plugin has the name ${JSON.stringify(name)}: letters, digits, ".", "_" and "-" are allowed, 64 at most`,
    );
  const wrong = (what: string): Error => usageError("PLUGIN_INVALID", `the plugin ${JSON.stringify(name)} has ${what}`);
  const unknown = Object.keys(definition).find((key) => !(definitionNames as readonly string[]).includes(key));
  if (unknown !== undefined)
    throw wrong(
      `${JSON.stringify(unknown)}: ${definitionNames.join(", ")} are allowed${didYouMean(unknown, definitionNames)}`,
    );
  if (!Array.isArray(needs) || needs.some((need) => typeof need !== "string"))
    throw wrong('needs that are no list of names: ["mail"] is one');
  if (beans !== undefined && typeof beans !== "function") throw wrong("beans that are no function (builder, options)");
  if (install !== undefined && typeof install !== "function")
    throw wrong("an install that is no function (scope, options)");
  if (panel !== undefined && !isPanel(panel))
    throw wrong('a panel that is none: { title: "Mails", kind: "table" | "json" | "graph", read() { … } } is one');
  return definition;
}

const isPanel = (panel: Partial<PluginPanel> | null): boolean =>
  typeof panel === "object" &&
  panel !== null &&
  typeof panel.title === "string" &&
  kinds.includes(panel.kind) &&
  typeof panel.read === "function";

/** The group of one plugin. Its registrations apply to the plugin alone, and `app` is never needed. */
export class PluginScope extends Group {
  readonly #plugins: Plugins;
  readonly #queue: InstallQueue = new InstallQueue();

  constructor(plugins: Plugins, place: Place) {
    super(place);
    this.#plugins = plugins;
  }

  /** The app's logger. */
  get logger(): SafeLogger {
    return this.#plugins.host.logger;
  }

  /** Installs another plugin inside this one, under its prefix and after its middleware. @throws as `app.plugin`. */
  plugin<O extends object>(plugin: Plugin<O>, ...[settings]: PluginArguments<O>): this {
    this.place().registry.configuring("scope.plugin");
    this.#plugins.add(plugin, settings ?? {}, this.place(), this.#queue);
    return this;
  }

  /** Runs work outside requests, immediately, as `app.background`. Begin work that needs beans in `onStart`. */
  background(name: string, work: BackgroundWork): this {
    this.#plugins.host.background(name, work);
    return this;
  }

  /** The bean of that type, available from `onStart` on. In a handler `ctx.get(type)` is the same. @throws Error before. */
  bean<T extends object>(type: BeanType<T>): T {
    return this.#plugins.host.bean(type);
  }

  /** The nested plugins. */
  get nested(): Pick<InstallQueue, "isIdle" | "settled"> {
    return this.#queue;
  }
}

/** The app, as plugins need it. */
export interface PluginHost {
  readonly logger: SafeLogger;
  background(name: string, work: BackgroundWork): void;
  /** @throws Error before the containers have started. */
  bean<T extends object>(type: BeanType<T>): T;
  /** Called before the first plugin with beans is installed. */
  firstBeans(): void;
}

/** A plugin in its place. */
interface Installed {
  readonly definition: PluginDefinition<never>;
  readonly options: never;
  readonly scope: PluginScope;
}

/** The plugins of an app. */
export class Plugins {
  readonly host: PluginHost;
  readonly #queue: InstallQueue = new InstallQueue();
  /** Names of all plugins, including waiting ones. */
  readonly #names: Set<string> = new Set();
  /** By name, in order, including those being installed. */
  readonly #installed: Map<string, Installed> = new Map();
  /** Does any plugin bring beans? */
  haveBeans = false;

  constructor(host: PluginHost) {
    this.host = host;
  }

  /** Installs one, now or in its turn. @throws TypeError, Error naming the plugin. */
  add(plugin: PluginDefinition<never>, settings: object, place: Place, queue: InstallQueue = this.#queue): void {
    const definition = checkedPlugin(plugin);
    const { name } = definition;
    if (typeof settings !== "object")
      throw usageError("PLUGIN_INVALID", `the plugin ${JSON.stringify(name)} got ${typeof settings} for its options`);
    const { prefix = "", ...options } = settings as PluginSettings;
    if (typeof prefix !== "string")
      throw usageError(
        "PLUGIN_INVALID",
        `the plugin ${JSON.stringify(name)} got a prefix that is no text: "/mail" is one`,
      );
    const scope = new PluginScope(this, placeBelow(place, prefix, {}));
    if (this.#names.has(name))
      throw usageError(
        "PLUGIN_DUPLICATE",
        `the plugin ${JSON.stringify(name)} is installed already: an app takes one of a name`,
      );
    this.#names.add(name);
    queue.add(() => this.#install({ definition, options: options as never, scope }));
  }

  /** Waits for every installation, or undefined when none is under way. Rejects with the error of the first that failed. */
  settled(): Promise<void> | undefined {
    return this.#queue.settled();
  }

  /** Binds the beans of every plugin, in order of installation. @throws the error of a binding. */
  bind(builder: Builder): void {
    for (const [name, { definition, options }] of this.#installed)
      if (definition.beans !== undefined)
        builder.bindFor(`the plugin ${JSON.stringify(name)}`, (binder) => definition.beans?.(binder, options));
  }

  /** A builder for them, on top of a running container. */
  builder(below: Beans | undefined): Builder {
    return new Builder(below);
  }

  /** The plugins with a panel, in order of installation. */
  panels(): readonly AppPanel[] {
    return [...this.#installed].flatMap(([name, { definition, options, scope }]) => {
      const { panel } = definition;
      if (panel === undefined) return [];
      return [{ name, title: panel.title, kind: panel.kind, read: () => panel.read(scope, options) }];
    });
  }

  #install(plugin: Installed): void | Promise<void> {
    const { definition, options, scope } = plugin;
    const { name, needs = [] } = definition;
    const missing = needs.find((need) => !this.#installed.has(need));
    if (missing !== undefined)
      throw usageError(
        "PLUGIN_NEEDS",
        `the plugin ${JSON.stringify(name)} needs the plugin ${JSON.stringify(missing)}, which is not installed: ` +
          "install it first, with app.plugin",
      );
    this.#installed.set(name, plugin);
    if (definition.beans !== undefined && !this.haveBeans) {
      this.haveBeans = true;
      this.host.firstBeans();
    }
    let installing: unknown;
    try {
      installing = definition.install?.(scope, options);
    } catch (error) {
      throw this.#failed(name, error);
    }
    if (isThenable(installing) || !scope.nested.isIdle) return this.#settle(plugin, installing);
  }

  async #settle({ definition: { name }, scope }: Installed, installing: unknown): Promise<void> {
    try {
      await installing;
      await scope.nested.settled();
    } catch (error) {
      throw this.#failed(name, error);
    }
  }

  /** A failed plugin does not count as installed for those that need it. */
  #failed(name: string, error: unknown): Error {
    this.#installed.delete(name);
    const sentence = `the plugin ${JSON.stringify(name)} could not be installed: ${text(error)}`;
    return stateError("PLUGIN_FAILED", sentence, error);
  }
}

/**
 * Installs plugins one after another, in the order of their calls.
 *
 *   add ──▶ nothing is under way ──▶ installed immediately: its error goes to the caller
 *     └──▶ one is under way ──▶ after it; when one has failed, no waiting one is installed
 */
export class InstallQueue {
  #tail: Promise<void> | undefined;

  /** Installs now, or when everything before it is over. @throws the error of `install`, if it runs now. */
  add(install: () => void | Promise<void>): void {
    const tail = this.#tail === undefined ? install() : this.#tail.then(install);
    if (!isThenable(tail)) return;
    this.#tail = Promise.resolve(tail);
    // The caller of the start gets it. Until then it is not an unhandled rejection.
    this.#tail.catch(ignore);
  }

  /** Is nothing under way? */
  get isIdle(): boolean {
    return this.#tail === undefined;
  }

  /** Waits for all of it, also for later additions, or undefined when nothing is under way. */
  settled(): Promise<void> | undefined {
    return this.#tail === undefined ? undefined : this.#settle(this.#tail);
  }

  async #settle(tail: Promise<void>): Promise<void> {
    await tail;
    if (this.#tail !== tail && this.#tail !== undefined) return this.#settle(this.#tail);
    this.#tail = undefined;
  }
}

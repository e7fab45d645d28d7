/**
 * Plugins of one app: which are installed, in which order, and what they bring besides routes.
 *
 *   app.plugin ──▶ name free? ──▶ in its turn: what it needs is there? ──▶ install(scope) ──▶ awaited by the start
 *                                                                             └─ fails: the error names the plugin
 *
 * Spec: spec/plugins.md
 */
import { Builder } from "../beans/builder.ts";
import { text } from "../beans/decorate.ts";
import type { Beans } from "../beans/types.ts";
import type { Place } from "../dispatch/registration.ts";
import { isThenable } from "../internal/thenable.ts";
import { stateError, usageError } from "../internal/usage-errors.ts";
import type { BroughtBeans } from "./app-beans.ts";
import { InstallQueue } from "./install-queue.ts";
import {
  type AppPanel,
  checkedPlugin,
  type InstalledPlugins,
  placeOfPlugin,
  PluginScope,
  type PluginDefinition,
  type PluginHost,
  type PluginSettings,
  type PluginsHost,
} from "./plugin.ts";

/** A plugin in its place. */
interface Installed {
  readonly definition: PluginDefinition<never>;
  readonly options: never;
  readonly scope: PluginScope;
}

/** The plugins of an app. */
export class Plugins implements InstalledPlugins {
  readonly #host: PluginHost;
  readonly #queue: InstallQueue = new InstallQueue();
  /** Of those that wait, too. */
  readonly #names: Set<string> = new Set();
  /** By their names, in order: those that are being installed, too. */
  readonly #installed: Map<string, Installed> = new Map();
  readonly #firstBeans: () => void;
  /** Does any bring beans? */
  haveBeans = false;

  constructor({ firstBeans, ...host }: PluginsHost) {
    this.#firstBeans = firstBeans;
    this.#host = { ...host, nested: (plugin, settings, place, queue) => this.add(plugin, settings, place, queue) };
  }

  /** Installs one, now or in its turn. @throws TypeError, Error naming the plugin. */
  add(plugin: PluginDefinition<never>, settings: object, place: Place, queue: InstallQueue = this.#queue): void {
    const definition = checkedPlugin(plugin);
    const { name } = definition;
    if (typeof settings !== "object")
      throw usageError("PLUGIN_INVALID", `the plugin ${JSON.stringify(name)} got ${typeof settings} for its options`);
    const { prefix, ...options } = settings as PluginSettings;
    const own = placeOfPlugin(name, place, prefix);
    if (this.#names.has(name))
      throw usageError(
        "PLUGIN_DUPLICATE",
        `the plugin ${JSON.stringify(name)} is installed already: an app takes one of a name`,
      );
    this.#names.add(name);
    const scope = new PluginScope(this.#host, own);
    queue.add(() => this.#install({ definition, options: options as never, scope }));
  }

  /** Waits for every installation; undefined where none is under way. Rejects with the error of the first that failed. */
  settled(): Promise<void> | undefined {
    return this.#queue.settled();
  }

  /** The beans of every plugin. */
  *beans(): ReturnType<BroughtBeans["beans"]> {
    for (const [name, { definition, options }] of this.#installed)
      if (definition.beans !== undefined)
        yield [`the plugin ${JSON.stringify(name)}`, (builder) => definition.beans?.(builder, options)];
  }

  /** A builder for them, on top of a container that runs. */
  builder(below: Beans | undefined): Builder {
    return new Builder(below);
  }

  /** Those that have a panel, in order of installation. */
  panels(): readonly AppPanel[] {
    return [...this.#installed].flatMap(
      ([
        name,
        {
          definition: { panel },
          options,
          scope,
        },
      ]) =>
        panel === undefined
          ? []
          : [{ name, title: panel.title, kind: panel.kind, read: () => panel.read(scope, options) }],
    );
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
      this.#firstBeans();
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

  /** It is not there for those that need it. */
  #failed(name: string, error: unknown): Error {
    this.#installed.delete(name);
    const sentence = `the plugin ${JSON.stringify(name)} could not be installed: ${text(error)}`;
    return stateError("PLUGIN_FAILED", sentence, error);
  }
}

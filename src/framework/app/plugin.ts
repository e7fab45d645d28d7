/**
 * A plugin: routes, middleware, beans and a panel under one name, that an app takes in one line.
 *
 *   definePlugin({ name, needs, beans, install, panel }) ──▶ app.plugin(mail, { prefix: "/mail", from: "…" })
 *                                                              └─▶ install(scope, options): scope is a group of its own
 *
 * What is registered in its scope concerns its own routes alone, as in any group; its beans are everybody's.
 *
 * Spec: spec/plugins.md
 */
import type { BeanBinder } from "../beans/builder.ts";
import { Group, placeBelow, type Place } from "../dispatch/registration.ts";
import type { BeanType } from "../beans/types.ts";
import type { SafeLogger } from "../internal/logger.ts";
import { didYouMean } from "../internal/suggestion.ts";
import { usageError } from "../internal/usage-errors.ts";
import type { BroughtBeans } from "./app-beans.ts";
import type { BackgroundWork } from "./background.ts";
import { InstallQueue } from "./install-queue.ts";

/** How a panel's value is shown: an array of objects as rows, anything as a tree, nodes and edges as a drawing. */
export type PanelKind = "table" | "json" | "graph";

/** What a panel of kind `graph` reads. */
export interface PanelGraph {
  readonly nodes: readonly { readonly id: string; readonly label?: string | undefined }[];
  /** From the id of one node to that of another. */
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** A panel of the dashboard, from data. Without devtools nothing reads it. */
export interface PluginPanel<O extends object = object> {
  readonly title: string;
  readonly kind: PanelKind;
  /** The value as it is now, or a promise of it. It is shown like any value: bounded, with its secrets hidden. */
  read(scope: PluginScope, options: O): unknown;
}

/** What a plugin is made of. */
export interface PluginDefinition<O extends object = object> {
  /** Letters, digits, `.`, `_` and `-`, 64 at most. One app takes a name once. */
  readonly name: string;
  /** Names of the plugins that must be installed before it. */
  readonly needs?: readonly string[] | undefined;
  /** Binds its beans. They are built, with those of the app, before the start goes on. */
  beans?(builder: BeanBinder, options: O): unknown;
  /** Registers what it does. A promise is waited for before the app listens or handles its first request. */
  install?(scope: PluginScope, options: O): unknown;
  readonly panel?: PluginPanel<O> | undefined;
}

/** In the registry of the whole process: a plugin stays one for another copy of this package. */
export const pluginsOf: unique symbol = Symbol.for("framework.plugins");

/** What `definePlugin` gives, and `app.plugin` takes. It brings what installs it: an app without plugins has none of that. */
export interface Plugin<O extends object = object> extends PluginDefinition<O> {
  readonly [pluginsOf]: (host: PluginsHost) => InstalledPlugins;
}

/** A panel of the dashboard, as tools read it. */
export interface AppPanel {
  /** The plugin's. */
  readonly name: string;
  readonly title: string;
  readonly kind: PanelKind;
  /** The value as it is now, or a promise of it. May throw. */
  read(): unknown;
}

/** The plugins of one app. */
export interface InstalledPlugins extends BroughtBeans {
  /** Does any bring beans? */
  readonly haveBeans: boolean;
  /** Installs one, now or in its turn. @throws TypeError, Error naming the plugin. */
  add(plugin: PluginDefinition<never>, settings: object, place: Place): void;
  /** Waits for every installation; undefined where none is under way. Rejects with the error of the first that failed. */
  settled(): Promise<void> | undefined;
  /** Those that have a panel, in order of installation. */
  panels(): readonly AppPanel[];
}

/** What plugins need of the app. */
export interface PluginsHost extends Omit<PluginHost, "nested"> {
  /** The first one that brings beans is about to be installed. */
  firstBeans(): void;
}

/** Where a plugin is installed; its own options stand beside this. */
export interface PluginSettings {
  /** Before the paths of its routes; none by default. */
  readonly prefix?: string | undefined;
}

/** What stands behind the plugin in `app.plugin(plugin, …)`: nothing is needed where every option may be left out. */
export type PluginArguments<O extends object> =
  Partial<O> extends O ? [settings?: PluginSettings & O] : [settings: PluginSettings & O];

/** What a scope needs of the app. */
export interface PluginHost {
  readonly logger: SafeLogger;
  background(name: string, work: BackgroundWork): void;
  /** @throws Error before the containers have started. */
  bean<T extends object>(type: BeanType<T>): T;
  /** Installs a plugin inside of another one. */
  nested(plugin: PluginDefinition<never>, settings: object, place: Place, queue: InstallQueue): void;
}

/** A group of one plugin: what it registers here is its own, and `app` is never needed. */
export class PluginScope extends Group {
  readonly #host: PluginHost;
  readonly #queue: InstallQueue = new InstallQueue();

  constructor(host: PluginHost, place: Place) {
    super(place);
    this.#host = host;
  }

  /** Where the app logs. */
  get logger(): SafeLogger {
    return this.#host.logger;
  }

  /** Installs another plugin inside of this one: below its prefix, behind its middleware. @throws as `app.plugin`. */
  plugin<O extends object>(plugin: Plugin<O>, ...[settings]: PluginArguments<O>): this {
    this.place().registry.configuring("scope.plugin");
    this.#host.nested(plugin, settings ?? {}, this.place(), this.#queue);
    return this;
  }

  /** Runs work beside requests, at once, as `app.background`: begin in `onStart` what needs beans. */
  background(name: string, work: BackgroundWork): this {
    this.#host.background(name, work);
    return this;
  }

  /** The bean of that type, from `onStart` on. In a handler `ctx.get(type)` is the same. @throws Error before. */
  bean<T extends object>(type: BeanType<T>): T {
    return this.#host.bean(type);
  }

  /** The plugins inside. */
  get nested(): Pick<InstallQueue, "isIdle" | "settled"> {
    return this.#queue;
  }
}

/** The place of a plugin's scope. @throws TypeError on a bad prefix. */
export function placeOfPlugin(name: string, place: Place, prefix: unknown): Place {
  if (prefix === undefined) return placeBelow(place, "", {});
  if (typeof prefix === "string") return placeBelow(place, prefix, {});
  throw usageError("PLUGIN_INVALID", `the plugin ${JSON.stringify(name)} got a prefix that is no text: "/mail" is one`);
}

const kinds: readonly unknown[] = ["table", "json", "graph"] satisfies PanelKind[];
const definitionNames = ["name", "needs", "beans", "install", "panel"] as const;
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @throws TypeError naming what of the definition cannot be. */
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

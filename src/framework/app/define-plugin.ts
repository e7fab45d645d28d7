/**
 * definePlugin: a definition that is checked, with what installs it in an app.
 *
 *   app.plugin(mail) ──▶ what mail brings installs it ──▶ plugins.ts      no plugin: none of that is in a bundle
 *
 * Spec: spec/plugins.md
 */
import {
  checkedPlugin,
  pluginsOf,
  type Plugin,
  type PluginDefinition,
  type PluginSettings,
  type PluginsHost,
} from "./plugin.ts";
import { Plugins } from "./plugins.ts";

/**
 * Defines a plugin. `O` are its options: what stands beside `prefix` in `app.plugin`.
 *
 * @throws TypeError (`PLUGIN_INVALID`) on a definition that cannot be.
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
  return Object.freeze({ ...checkedPlugin(definition), [pluginsOf]: (host: PluginsHost) => new Plugins(host) });
}

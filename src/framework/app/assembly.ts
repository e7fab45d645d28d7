/**
 * Assembly: what must be over before an app is compiled.
 *
 *   plugins are installed ──▶ their beans and the app's are started ──▶ compiled ──▶ listening, onStart
 *
 * Where no plugin is asynchronous or brings beans, and the beans run already, nothing is waited for: the app is compiled
 * within the call that starts it. What has failed stays failed: half of an app is registered then.
 *
 * Spec: spec/plugins.md
 */
import type { BeanType } from "../beans/types.ts";
import { noBeans } from "../internal/errors.ts";
import type { SafeLogger } from "../internal/logger.ts";
import { inTime } from "../internal/in-time.ts";
import { ignore } from "../internal/thenable.ts";
import type { Place } from "../dispatch/registration.ts";
import { usageError } from "../internal/usage-errors.ts";
import { AppBeans } from "./app-beans.ts";
import type { BackgroundWork } from "./background.ts";
import { pluginsOf, type AppPanel, type InstalledPlugins, type Plugin } from "./plugin.ts";

/** What it needs of the app. */
export interface AssemblyHost {
  readonly logger: SafeLogger;
  background(name: string, work: BackgroundWork): void;
  onStop(listener: () => unknown): void;
  /** @throws Error once the app was stopped. */
  expectRunning(): void;
  /** Compiles it. */
  compile(): void;
}

/** The plugins and beans of an app, until it is put together. */
export class Assembly {
  /** From the first one on. */
  #plugins: InstalledPlugins | undefined;
  readonly beans: AppBeans = new AppBeans();
  readonly #host: AssemblyHost;
  #work: Promise<void> | undefined;
  #isBuilding = false;
  #isOver = false;

  constructor(host: AssemblyHost) {
    this.#host = host;
  }

  /** Installs a plugin. @throws TypeError when it is none; as `app.plugin` does. */
  install(plugin: Plugin<never>, settings: object, place: Place): void {
    const make = plugin?.[pluginsOf];
    if (typeof make !== "function") {
      const given = plugin === null ? "null" : typeof plugin;
      throw usageError("PLUGIN_INVALID", `a plugin is what definePlugin({ name, … }) gives, not ${given}`);
    }
    const { logger, background, onStop } = this.#host;
    this.#plugins ??= make({
      logger,
      background,
      bean: (type) => this.#bean(type),
      // Behind what its own listeners do, before those of whoever has the container below.
      firstBeans: () => onStop(() => this.beans.closeUpper()),
    });
    this.#plugins.add(plugin, settings, place);
  }

  panels(): readonly AppPanel[] {
    return this.#plugins?.panels() ?? [];
  }

  /** Has it begun? Then the app is not configured any more, but for the plugins that go on. */
  get hasBegun(): boolean {
    return this.#work !== undefined;
  }

  /** Begins, and waits for it; undefined where nothing is to be waited for. Rejects with what failed first. */
  pending(): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    if (this.#work !== undefined) return this.#work;
    const installing = this.#plugins?.settled();
    if (installing === undefined && !this.#needsBeans) return undefined;
    this.#work = this.#run(installing);
    // Whoever asks hears of it; the app may be stopped before anybody does.
    this.#work.catch(() => undefined);
    return this.#work;
  }

  /** For a stop: waits for beans that are being built and then closed; after so many milliseconds says so and goes on. */
  async settled(graceMs: number): Promise<void> {
    if (!this.#isBuilding) return;
    const built = Promise.resolve(this.#work).catch(ignore);
    const late = "the app stopped while its beans were being built: they are closed once they are";
    await inTime(built, graceMs, late).catch(() => this.#host.logger.warn(late));
  }

  get #needsBeans(): boolean {
    return this.#plugins?.haveBeans === true || this.beans.isWaiting;
  }

  async #run(installing: Promise<void> | undefined): Promise<void> {
    await installing;
    this.#host.expectRunning();
    if (this.#needsBeans) {
      this.#isBuilding = true;
      await this.beans.start(this.#plugins);
    }
    try {
      this.#host.expectRunning();
      this.#host.compile();
    } catch (error) {
      await this.beans.close();
      throw error;
    }
    this.#isOver = true;
  }

  #bean<T extends object>(type: BeanType<T>): T {
    const { running } = this.beans;
    if (running !== undefined) return running.get(type);
    throw noBeans(`${type.name} was asked for, but before the start there are no beans, or `);
  }
}

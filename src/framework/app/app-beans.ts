/**
 * The beans of an app: what it was given, and the one container that its plugins' beans are in, too.
 *
 *   app.beans(a running container) ──▶ no plugin brings beans: that one │ else a container on top of it
 *   app.beans(a builder)           ──▶ its beans and theirs in one container: each may need the others
 *   nothing given                  ──▶ a container of theirs
 *
 * What is started here is closed at the end of `app.stop`; a running container that was given is the caller's.
 *
 * Spec: spec/plugins.md
 */
import type { AsyncBeansBuilder, BeanBinder, Builder } from "../beans/builder.ts";
import type { Beans } from "../beans/types.ts";
import { stateError } from "../internal/usage-errors.ts";

/** What plugins bring. */
export interface BroughtBeans {
  /** Who brings beans, and how they are bound. */
  beans(): Iterable<readonly [owner: string, bind: (builder: BeanBinder) => unknown]>;
  /** A builder for them, on top of a container that runs. */
  builder(below: Beans | undefined): Builder;
}

/** What `app.beans` has got, and what has become of it. */
export class AppBeans {
  #given: Beans | Builder | undefined;
  /** The one that runs, as soon as it does. */
  running: Beans | undefined;
  /** What was started here. */
  #own: Beans | undefined;

  /** @throws Error when another one was given before. */
  give(beans: Beans | AsyncBeansBuilder): void {
    if (this.#given !== undefined && this.#given !== beans)
      throw stateError("BEANS_NOT_ATTACHED", "app.beans() was called with another container before");
    if (isBuilder(beans)) this.#given = beans;
    else if (isContainer(beans)) this.#given = this.running = beans;
    else throw stateError("BEANS_NOT_ATTACHED", "app.beans() takes what Beans.builder() or its start() gave");
  }

  /** Is there something to be started? */
  get isWaiting(): boolean {
    return this.running === undefined && this.#given !== undefined;
  }

  /** Starts what was given with what plugins bring. Rejects with a BeanError; nothing is left open then. */
  async start(brought: BroughtBeans | undefined): Promise<void> {
    const given = this.#given;
    const builder = given !== undefined && isBuilder(given) ? given.copy() : brought?.builder(given);
    if (builder === undefined) return;
    for (const [owner, bind] of brought?.beans() ?? []) builder.bindFor(owner, bind);
    this.running = this.#own = await builder.startAsync();
  }

  /** Closes what was started on top of a container that is the caller's. */
  async closeUpper(): Promise<void> {
    if (this.#own?.below !== undefined) await this.close();
  }

  /** Closes what was started here. */
  async close(): Promise<void> {
    const own = this.#own;
    this.#own = undefined;
    await own?.close();
  }
}

/** By what only the one behind the interface has: the class itself would be in every bundle. */
const isBuilder = (beans: Beans | AsyncBeansBuilder): beans is Builder => "bindFor" in beans;
const isContainer = (beans: Beans | AsyncBeansBuilder): beans is Beans => "graph" in beans;

/**
 * The beans of an app: what it was given, and the one container that its plugins' beans are in, too.
 *
 *   app.beans(a running container) ──▶ no plugin brings beans: that one │ else a container on top of it
 *   app.beans(a builder)           ──▶ its beans and theirs in one container: each may need the others
 *   nothing given                  ──▶ a container of theirs
 *
 * What is started here is closed at the end of `app.stop`; a running container that was given is the caller's.
 *
 * Spec: spec/plugins.md (PLUGIN)
 */
import { Builder, type AsyncBeansBuilder, type BeanBinder } from "../beans/builder.ts";
import type { Beans } from "../beans/types.ts";
import { stateError } from "../internal/usage-errors.ts";

/** Who brings beans, and how they are bound. */
export type BeansOf = Iterable<readonly [owner: string, bind: (builder: BeanBinder) => unknown]>;

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
    if (beans instanceof Builder) this.#given = beans;
    else if (isContainer(beans)) this.#given = this.running = beans;
    else throw stateError("BEANS_NOT_ATTACHED", "app.beans() takes what Beans.builder() or its start() gave");
  }

  /** Is there something to be started? */
  get isWaiting(): boolean {
    return this.running === undefined && this.#given !== undefined;
  }

  /** Starts what was given with what others bring. Rejects with a BeanError; nothing is left open then. */
  async start(others: BeansOf): Promise<void> {
    const builder = this.#given instanceof Builder ? this.#given.copy() : new Builder(this.#given);
    for (const [owner, bind] of others) builder.bindFor(owner, bind);
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

const isContainer = (beans: Beans | AsyncBeansBuilder): beans is Beans => "graph" in beans;

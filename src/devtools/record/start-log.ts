/**
 * Start log: how the application started, bean by bean, or failed to.
 *
 *   factory begins ─▶ BeanStart, below the bean that asked ─▶ it ends ─▶ duration, own time, error
 *   listener of app.onStart ─▶ HookStart
 *   the start fails ─▶ a tree on the terminal, and the history: the application never listened, so no page can show it then
 *
 * Spec: spec/history.md
 */
import type { BeanError, BeanGraph, BeanInfo } from "framework";
import type { BeanStart, HookStart, StartError, StartUp } from "../run/shapes.ts";
import { errorInfoOf } from "../capture/inspect.ts";
import { startTree } from "./start-tree.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The tools of a start log. */
export interface StartTools {
  readonly instance: string;
  /** A text without its secrets, cut. */
  readonly shown: (text: string) => string;
  /** Prints text on the terminal. */
  readonly print: (text: string) => void;
  /** Keeps a failed start. */
  readonly keep: (start: StartUp) => void;
}

/** The most beans that are recorded, since a container may make any number. */
const maxBeans = 1_000;

/** The start of one process. */
export class StartLog {
  readonly #tools: StartTools;
  readonly #beans: Writable<BeanStart>[] = [];
  readonly #hooks: Writable<HookStart>[] = [];
  #begun: { readonly at: number; readonly startedAt: number } | undefined;
  #dropped = 0;
  #durationUs: number | null = null;
  #failure: Pick<StartUp, "notBuilt" | "chain" | "error"> = { notBuilt: [], chain: [], error: null };

  constructor(tools: StartTools) {
    this.#tools = tools;
  }

  /** A bean's factory begins. Returns the function to call at its end. */
  building(info: BeanInfo, asker: BeanInfo | undefined): ((error?: BeanError) => void) | undefined {
    const startUs = this.#now();
    if (this.#beans.length >= maxBeans) {
      this.#dropped += 1;
      return undefined;
    }
    const { id: bean, stereotype } = info;
    const start = { bean, stereotype, parent: asker?.id ?? null, startUs, durationUs: null, selfUs: null, error: null };
    const made: Writable<BeanStart> = start;
    this.#beans.push(made);
    return (error) => {
      made.durationUs = this.#now() - startUs;
      made.selfUs = Math.max(0, made.durationUs - this.#timeBelow(made));
      if (error !== undefined) made.error = this.#errorOf(error.cause ?? error);
    };
  }

  /** Runs a listener of `app.onStart`, without a change to its result or error. */
  async hook(name: string, run: () => unknown): Promise<unknown> {
    const hook: Writable<HookStart> = { name, startUs: this.#now(), durationUs: null, error: null };
    this.#hooks.push(hook);
    try {
      const result = await run();
      // An earlier failed one was tried again.
      if (this.#failure.chain.length === 0) this.#fail({ notBuilt: [], chain: [], error: null });
      return result;
    } catch (error) {
      hook.error = this.#errorOf(error);
      this.#fail({ notBuilt: [], chain: [], error: hook.error });
      throw error;
    } finally {
      hook.durationUs = this.#now() - hook.startUs;
      this.#durationUs = this.#now();
      if (hook.error !== null) this.#tell();
    }
  }

  /** The container could not be started. */
  failed(error: BeanError, graph: BeanGraph): void {
    const made = new Set(this.#beans.filter((bean) => bean.durationUs !== null).map(({ bean }) => bean));
    const notBuilt = graph.nodes.map(({ id }) => id).filter((id) => !made.has(id));
    this.#durationUs = this.#now();
    this.#fail({ notBuilt, chain: error.chain.map(this.#tools.shown), error: this.#errorOf(error.cause ?? error) });
    this.#tell();
  }

  /** The start so far, or null before anything of it was seen. */
  view(): StartUp | null {
    if (this.#begun === undefined) return null;
    return {
      instance: this.#tools.instance,
      startedAt: this.#begun.startedAt,
      durationUs: this.#durationUs,
      beans: this.#beans.map((bean) => ({ ...bean })),
      droppedBeans: this.#dropped,
      hooks: this.#hooks.map((hook) => ({ ...hook })),
      ...this.#failure,
    };
  }

  #now(): number {
    this.#begun ??= { at: performance.now(), startedAt: Date.now() };
    return Math.floor((performance.now() - this.#begun.at) * 1_000);
  }

  /** The time of the beans that a bean's factory requested, which are those that began while it ran. */
  #timeBelow({ bean, startUs }: BeanStart): number {
    return this.#beans.reduce(
      (sum, below) => (below.parent === bean && below.startUs >= startUs ? sum + (below.durationUs ?? 0) : sum),
      0,
    );
  }

  #fail(failure: Pick<StartUp, "notBuilt" | "chain" | "error">): void {
    this.#failure = failure;
  }

  #tell(): void {
    const start = this.view();
    if (start === null) return;
    this.#tools.keep(start);
    this.#tools.print(startTree(start));
  }

  #errorOf(thrown: unknown): StartError {
    const { name, message } = errorInfoOf(thrown);
    return { name, message: this.#tools.shown(message) };
  }
}

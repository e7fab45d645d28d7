/**
 * Start-up: the listeners of `app.onStart`, and the requests that wait for them.
 *
 *   app.start · app.ready ─────────────────▶ run() ──▶ each listener once, in order
 *   first requests of app.fetch, listener ──▶ run() ──▶ handled behind it │ 503, when a listener failed
 *   later requests ──▶ handled at once: nothing of this file is on their way
 *
 * However many ask, one run is under way. A listener that failed is tried again by whoever asks next; those before it
 * are over.
 */
import { respondUnhandled } from "../dispatch/dispatcher.ts";
import type { EngineHandler, Exchange, RejectedRequest } from "../http/exchange.ts";

/** After so long one line says that requests wait. */
const patienceMs = 10_000;
const lateLine =
  "requests wait for an app.onStart listener that has not ended for 10 s; one that asks the app itself waits for itself";
const lateAssemblyLine = "requests wait for a plugin or a bean that has not started for 10 s";
const failedLine = "an app.onStart listener failed: its requests get 503, and the next one tries it again";
const failedAssemblyLine = "a plugin, a bean or a route failed: the app cannot start, and its requests get 503";

/** Stands around each listener: must call `run` once, and return or throw what that did. */
export type StartWrap = (name: string, run: () => unknown) => unknown;

/** The listeners, each of which runs once. */
export class StartUp {
  readonly #expectRunning: () => void;
  #around: StartWrap = (_, run) => run();
  readonly #waiting: (() => unknown)[] = [];
  #run: Promise<void> | undefined;

  /** @param expectRunning throws once the app was stopped: no further listener begins then */
  constructor(expectRunning: () => void) {
    this.#expectRunning = expectRunning;
  }

  /** Has every listener run? */
  get isOver(): boolean {
    return this.#waiting.length === 0;
  }

  add(listener: () => unknown): void {
    this.#waiting.push(listener);
  }

  wrap(around: StartWrap): void {
    const outer = this.#around;
    this.#around = (name, run) => outer(name, () => around(name, run));
  }

  /** Runs what has not run yet. Rejects with a listener's own error. */
  run(): Promise<void> {
    return (this.#run ??= this.#runAll().finally(() => {
      this.#run = undefined;
    }));
  }

  async #runAll(): Promise<void> {
    for (let [listener] = this.#waiting; listener !== undefined; [listener] = this.#waiting) {
      this.#expectRunning();
      await this.#around(listener.name, listener);
      this.#waiting.shift();
    }
  }
}

/** What the requests that wait need. */
export interface EntranceServices {
  /** Where requests go once it is over. */
  inside(): EngineHandler;
  /** Installs plugins, starts beans, runs the listeners. */
  ready(): Promise<unknown>;
  /** Are its plugins, beans and routes there? */
  isCompiled(): boolean;
  /** Hears of a request that never became a context. */
  rejected(request: RejectedRequest): void;
  warn(line: string): void;
  error(line: string, error: unknown): void;
}

/** Takes requests while the listeners have not run, and hands them on behind them. */
export class Entrance implements EngineHandler {
  readonly #services: EntranceServices;
  #opening: Promise<boolean> | undefined;

  constructor(services: EntranceServices) {
    this.#services = services;
  }

  handle(exchange: Exchange): void {
    this.#opening ??= this.#open();
    this.#opening
      .then((isOpen) => (isOpen ? this.#services.inside().handle(exchange) : this.#reject(exchange)))
      .catch((error: unknown) => {
        this.#services.error(`${exchange.method} ${exchange.target} could not be handled`, error);
        exchange.cut();
      });
  }

  rejected(request: RejectedRequest): void {
    this.#services.rejected(request);
  }

  #reject(exchange: Exchange): void {
    respondUnhandled(exchange, 503, (request) => this.#services.rejected(request));
  }

  async #open(): Promise<boolean> {
    const tellLate = (): void => this.#services.warn(this.#services.isCompiled() ? lateLine : lateAssemblyLine);
    const late = setTimeout(tellLate, patienceMs);
    try {
      await this.#services.ready();
      return true;
    } catch (error) {
      this.#services.error(this.#services.isCompiled() ? failedLine : failedAssemblyLine, error);
      return false;
    } finally {
      clearTimeout(late);
      this.#opening = undefined;
    }
  }
}

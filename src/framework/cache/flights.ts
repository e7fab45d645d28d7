/**
 * Flights: of several requests for one response, the first makes it and the others wait.
 *
 *   first ──▶ lead ──▶ the chain ──▶ stored, or not ──▶ the others look again
 *   a response that may not be stored ──▶ noted: for a while no request waits for it
 *
 * Spec: spec/cache.md
 */

/** How long requests do not wait for a response that could not be stored. */
const notedMs = 60_000;
const maxNoted = 10_000;

/** The responses that are being made. */
export class Flights {
  readonly #flying: Map<string, Promise<void>> = new Map();
  /** Until when no request waits for a key. */
  readonly #noted: Map<string, number> = new Map();

  /** Leads, if no other request does. The returned function ends it. Undefined when another request leads. */
  lead(key: string): ((wasStored: boolean) => void) | undefined {
    if (this.#flying.has(key)) return undefined;
    let land = (): void => undefined;
    this.#flying.set(key, new Promise((resolve) => (land = resolve)));
    return (wasStored) => {
      this.#flying.delete(key);
      this.#noted.delete(key);
      if (!wasStored) this.#note(key);
      land();
    };
  }

  /** Should a request wait for its response? */
  isAwaited(key: string): boolean {
    return this.#flying.has(key) && !this.isNoted(key);
  }

  /** Could the response not be stored lately? */
  isNoted(key: string): boolean {
    return (this.#noted.get(key) ?? 0) > performance.now();
  }

  /** Settles when the response is made, or after that time. */
  async land(key: string, waitMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, waitMs)));
    await Promise.race([this.#flying.get(key), late]);
    clearTimeout(timer);
  }

  #note(key: string): void {
    const [oldest] = this.#noted.keys();
    if (this.#noted.size >= maxNoted && oldest !== undefined) this.#noted.delete(oldest);
    this.#noted.set(key, performance.now() + notedMs);
  }
}

/** The others that wait for this response. They look again when it is stored, or will not be. */
export class Flight {
  readonly #land: ((wasStored: boolean) => void) | undefined;
  #isKeeping = false;
  #isOver = false;

  constructor(land: ((wasStored: boolean) => void) | undefined) {
    this.#land = land;
  }

  land(wasStored: boolean): void {
    if (!this.#isOver) this.#land?.(wasStored);
    this.#isOver = true;
  }

  keep(putting: Promise<boolean>): void {
    this.#isKeeping = true;
    putting.then(
      (wasStored) => this.land(wasStored),
      () => this.land(false),
    );
  }

  /** The request is over. A stream that was never read has not come to its end. */
  completed(): void {
    if (!this.#isKeeping) this.land(false);
  }
}

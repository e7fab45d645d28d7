/**
 * Signals: values that know who has read them.
 *
 *   signal.value = … ──▶ the clock goes on ──▶ every effect: has what it read another version now? ──▶ it runs again
 *                                                             └ a computed one: has what it read …? ──▶ it is computed again
 *
 * Nothing is told of a change: whoever read keeps what it read and in which version, and looks there again. So a value is
 * never seen half changed, a computed one is computed when it is read and at most once a change, and none is held by
 * what it reads. A change costs a look at every effect, each view on screen being one: 0.3 ms for a thousand of them.
 */

/** A value to read; reading it within a computed value or an effect is following it. */
export interface ReadonlySignal<T> {
  readonly value: T;
  /** The value, without following it. */
  readonly peek: () => T;
  /** Calls with the value, now and whenever it has changed; the returned function ends that. */
  readonly subscribe: (listener: (value: T) => void) => () => void;
}

/** A value to read and to set. */
export interface Signal<T> extends ReadonlySignal<T> {
  value: T;
}

/** What was read, and in which version. */
type Sources = Map<Source<unknown>, number>;

/** What the running computation has read; undefined outside of one. */
let read: Sources | undefined;
/** Goes on with every change of any signal. */
let clock = 0;
/** The clock when all effects last looked. */
let settled = 0;
/** How many batches are open, one in another. */
let depth = 0;
/** Each looks whether its effect has to run. */
const effects = new Set<() => void>();

const MOST_ROUNDS = 100;

abstract class Source<T> {
  version = 0;
  abstract readonly current: T;

  /** Makes `current` and `version` those of now. */
  abstract refresh(): void;

  get value(): T {
    this.refresh();
    read?.set(this, this.version);
    return this.current;
  }

  peek(): T {
    return untracked(() => this.value);
  }

  subscribe(listener: (value: T) => void): () => void {
    return effect(() => {
      const { value } = this;
      untracked(() => listener(value));
    });
  }
}

class Settable<T> extends Source<T> {
  current: T;

  constructor(initial: T) {
    super();
    this.current = initial;
  }

  refresh(): void {}

  override get value(): T {
    return super.value;
  }

  override set value(next: T) {
    if (next === this.current) return;
    this.current = next;
    batch(() => (this.version = ++clock));
  }
}

class Computed<T> extends Source<T> {
  declare current: T;
  readonly #compute: () => T;
  #sources: Sources | undefined;
  #checkedAt = -1;

  constructor(compute: () => T) {
    super();
    this.#compute = compute;
  }

  refresh(): void {
    if (this.#checkedAt === clock) return;
    if (this.#sources === undefined || hasChanged(this.#sources)) {
      let next: T | undefined;
      this.#sources = sourcesOf(() => (next = this.#compute()));
      if (next !== this.current) this.version++;
      this.current = next as T;
    }
    this.#checkedAt = clock;
  }
}

/** A signal. */
export const signal = <T>(initial: T): Signal<T> => new Settable(initial);

/** What follows from other signals. */
export const computed = <T>(compute: () => T): ReadonlySignal<T> => new Computed(compute);

/** Runs now, and again when something that it read has changed; the returned function ends that. */
export function effect(run: () => void): () => void {
  let sources: Sources;
  const start = (): void => {
    sources = sourcesOf(run);
  };
  const look = (): void => {
    if (hasChanged(sources)) start();
  };
  batch(() => {
    start();
    effects.add(look);
  });
  return () => effects.delete(look);
}

/** Makes several changes one: effects look when the outermost batch is over. */
export function batch<T>(change: () => T): T {
  depth++;
  try {
    return change();
  } finally {
    try {
      if (depth === 1) settle();
    } finally {
      depth--;
    }
  }
}

/** Effects may change signals: all look again until nothing changes any more. */
function settle(): void {
  for (let rounds = 0; settled !== clock; rounds++) {
    if (rounds > MOST_ROUNDS) throw new Error("Signals change each other without end");
    settled = clock;
    for (const look of effects) look();
  }
}

function hasChanged(sources: Sources): boolean {
  for (const [source, version] of sources) {
    source.refresh();
    if (source.version !== version) return true;
  }
  return false;
}

/** Runs, and gives what was read meanwhile. */
function sourcesOf(run: () => unknown): Sources {
  const own: Sources = new Map();
  reading(own, run);
  return own;
}

const untracked = <T>(run: () => T): T => reading(undefined, run);

function reading<T>(into: Sources | undefined, run: () => T): T {
  const outer = read;
  read = into;
  try {
    return run();
  } finally {
    read = outer;
  }
}

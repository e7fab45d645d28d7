/**
 * Fakes of a browser's functions for a page, for the tests of this folder, set on globalThis and removed again.
 */

/** Sets globals; the returned function restores the earlier values. */
export function setGlobals(values: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(values).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
    }
  };
}

/** A storage that lives as long as the test. */
export function memoryStorage(entries: Readonly<Record<string, string>> = {}): Storage {
  const kept = new Map(Object.entries(entries));
  return {
    get length() {
      return kept.size;
    },
    key: (index) => [...kept.keys()][index] ?? null,
    clear: () => kept.clear(),
    removeItem: (key) => void kept.delete(key),
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
  };
}

/** A document that can be hidden. */
export class FakeDocument extends EventTarget {
  visibilityState = "visible";
  readonly documentElement: { readonly dataset: Record<string, string> } = { dataset: {} };

  /** Hides or shows the tab. */
  turn(visibilityState: "visible" | "hidden"): void {
    this.visibilityState = visibilityState;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

/** An event stream that the test writes. */
export class FakeEventSource extends EventTarget {
  /** Every stream opened so far, oldest first. */
  static readonly opened: FakeEventSource[] = [];
  readonly url: string;
  closed = false;

  constructor(url: string) {
    super();
    this.url = url;
    FakeEventSource.opened.push(this);
  }

  close(): void {
    this.closed = true;
  }

  /** Sends an event to the page. */
  say(name: string, data?: unknown): void {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }
}

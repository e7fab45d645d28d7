/**
 * What the page remembers. Browsers may deny storage or hold something else under the key: then the
 * fallback is used, and nothing breaks.
 *
 *   localStorage    theme, sizes, toggles        sessionStorage    drafts, which may hold secrets
 */

import { signal } from "@preact/signals";
import type { Signal } from "@preact/signals";

/** Reads a JSON value. */
export function recall<T>(store: () => Storage, key: string, fallback: T, fits: (value: unknown) => value is T): T {
  try {
    const text = store().getItem(key);
    const value: unknown = text === null ? undefined : JSON.parse(text);
    return fits(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

/** Writes a JSON value, unless the browser denies it. */
export function remember(store: () => Storage, key: string, value: unknown): void {
  try {
    store().setItem(key, JSON.stringify(value));
  } catch {
    // Denied, or full: the page goes on with what it has.
  }
}

/** A signal with what is stored, which is stored again whenever it changes. */
export function remembered<T>(
  store: () => Storage,
  key: string,
  fallback: NoInfer<T>,
  fits: (value: unknown) => value is T,
): Signal<T> {
  const value = signal(recall(store, key, fallback, fits));
  let isChange = false;
  value.subscribe((now) => {
    if (isChange) remember(store, key, now);
    isChange = true;
  });
  return value;
}

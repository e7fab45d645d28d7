/**
 * Values that the page remembers. Browsers may deny storage or hold another value under the key. Then the
 * fallback is used, and nothing breaks.
 *
 *   localStorage    theme, sizes, toggles        sessionStorage    drafts, which may hold secrets
 */

import { signal, type Signal } from "@preact/signals";

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
    // Denied or full, so the page continues with its own values.
  }
}

/** A signal with the stored value, which is stored again whenever it changes. */
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

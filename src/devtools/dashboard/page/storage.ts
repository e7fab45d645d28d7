/**
 * What the page remembers. Browsers may deny storage or hold something else under the key: then the
 * fallback is used, and nothing breaks.
 *
 *   localStorage    theme, sizes, toggles        sessionStorage    drafts, which may hold secrets
 */

/** The one key that the boot script in the page also reads. */
export const THEME_KEY = "framework-dev.theme";

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

/** Writes a JSON value; false when the browser denies it. */
export function remember(store: () => Storage, key: string, value: unknown): boolean {
  try {
    store().setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/**
 * Wanted: the value whose origin the user asked for, in any room.
 */

import { signal, type Signal } from "@preact/signals";

/** The value as a text, or null. */
export const wanted: Signal<string | null> = signal(null);

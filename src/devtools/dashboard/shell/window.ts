/**
 * The size of the window, for places with movable borders.
 */

import { signal } from "@preact/signals";

/** The height of the header, in pixels; shell.css has the same. */
export const HEADER = 40;

const current = (): { readonly width: number; readonly height: number } => ({ width: innerWidth, height: innerHeight });
const size = signal(current());
addEventListener("resize", () => (size.value = current()));

/** Width and height in pixels; a view that reads them is drawn again when they change. */
export const useWindow = (): ReturnType<typeof current> => size.value;

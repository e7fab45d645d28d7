/** Rows of make slow. */
import type { Measurement } from "../rows.ts";

/** What `make slow` measures. */
export const slowRows: Readonly<Record<string, Measurement>> = {};

/** Rows of make faults. */
import type { Measurement } from "../rows.ts";

/** What `make faults` measures. */
export const faultRows: Readonly<Record<string, Measurement>> = {};

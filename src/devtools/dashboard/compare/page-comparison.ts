/**
 * The comparison of the page that is shown, for its views. Tests of slices make their own.
 */

import { useSlice } from "../store/slice.ts";
import { comparisonSlice } from "./compare.ts";

/** Two runs beside each other. */
export const comparison = useSlice(comparisonSlice);

/**
 * The comparison of the shown page, for its views. Tests of slices make their own.
 */

import { useSlice } from "../store/slice.ts";
import { comparisonSlice } from "./compare.ts";

/** Two runs side by side. */
export const comparison = useSlice(comparisonSlice);

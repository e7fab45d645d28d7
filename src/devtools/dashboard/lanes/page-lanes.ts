/**
 * The lanes of the shown page, for its views. Tests of slices make their own.
 */

import { useSlice } from "../store/slice.ts";
import { lanesSlice } from "./lanes.ts";

/** Runs, brush, selection and comparison. */
export const lanes = useSlice(lanesSlice);

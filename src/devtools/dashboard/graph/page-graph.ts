/**
 * The picture of the shown page, for its views. Tests of slices make their own.
 */

import { useSlice } from "../store/slice.ts";
import { graphSlice } from "./picture.ts";
import { sceneSlice } from "./scene.ts";

/** The places and the looks of beans. */
export const graph = useSlice(graphSlice);
/** The selection as the graph shows it. */
export const scene = useSlice(sceneSlice);

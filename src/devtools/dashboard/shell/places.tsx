/**
 * The places of the page: the name of each in the header, and its view below it. A new place is a name in `places` of
 * store/panels.ts, which also fixes the order, and an entry here.
 */

import type { JSX } from "preact";
import { Lanes } from "../lanes/view.tsx";
import type { Place } from "../store/panels.ts";
import { Compose } from "./compose.tsx";
import { Inspect } from "./inspect.tsx";
import { Start } from "../start/start.tsx";

interface PlaceView {
  readonly name: string;
  readonly view: () => JSX.Element;
}

/** By the name in the address. */
export const placeViews: Readonly<Record<Place, PlaceView>> = {
  start: { name: "Start", view: () => <Start /> },
  compose: { name: "Compose", view: () => <Compose /> },
  inspect: { name: "Inspect", view: () => <Inspect /> },
  lanes: { name: "Lanes", view: () => <Lanes /> },
};

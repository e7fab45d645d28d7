/**
 * The page: the header, and below it the place that the address names.
 */

import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { panels } from "../store/page-store.ts";
import { useSlice } from "../store/slice.ts";
import { Banners } from "./banners.tsx";
import { Dialogs } from "./dialogs.tsx";
import { Header } from "./header.tsx";
import { listenForKeys } from "./page-keys.ts";
import { followLocation } from "./link.ts";
import { placeViews } from "./places.tsx";

/** Everything. */
export function App(): JSX.Element {
  useLayoutEffect(() => {
    const releases = [listenForKeys(useSlice), followLocation(useSlice)];
    return () => {
      for (const release of releases) release();
    };
  }, []);
  return (
    <div class="app">
      <Header />
      {placeViews[panels.place.value].view()}
      <Banners />
      <Dialogs />
    </div>
  );
}

/**
 * The banner over the page: why the application does not respond, or else a sentence about the last action.
 */

import type { JSX } from "preact";
import { live } from "../runs/page-runs.ts";
import { application, panels } from "../store/page-store.ts";

/** Why the application does not respond, or else the notice. */
export function Banners(): JSX.Element | null {
  const { load } = live;
  const { failure, loaded } = application;
  const { notice } = panels;
  if (failure.value !== null) {
    return (
      <div class="banner" role="alert">
        The application does not respond ({failure.value}).{" "}
        {loaded.value ? "The last data stays below." : "Start it, then retry."}
        <button type="button" onClick={() => void load()}>
          Retry
        </button>
      </div>
    );
  }
  if (notice.value === null) return null;
  return (
    <div class="banner mild" role="alert">
      {notice.value}
      <button type="button" onClick={() => (notice.value = null)}>
        Dismiss
      </button>
    </div>
  );
}

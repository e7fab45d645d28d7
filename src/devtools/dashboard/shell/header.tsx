/**
 * The header, and the banners for errors.
 */

import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { IconButton } from "../page/widgets.tsx";
import { live } from "../runs/page-runs.ts";
import { application, panels } from "../store/page-store.ts";
import { useSlice } from "../store/slice.ts";
import { themeSlice } from "./theme.ts";

const { theme, toggleTheme } = useSlice(themeSlice);

/** Name, live state, palette, help, theme. */
export function Header(): JSX.Element {
  const { dialog } = panels;
  const { online, mount } = application;
  useLayoutEffect(() => {
    document.title = `${appName(mount.value)} · devtools`;
  }, [mount.value]);
  const live = online.value === null ? "connecting" : online.value ? "live" : "offline, retrying";
  return (
    <header class="top">
      <h1>
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
          <path d="M4 9h5l4-5M9 9l4 5" />
          <circle cx="4" cy="9" r="2.5" />
          <circle cx="14" cy="4" r="2.5" />
          <circle cx="14" cy="14" r="2.5" />
        </svg>
        framework <span>devtools</span>
      </h1>
      <span class="app-name">{appName(mount.value)}</span>
      <span class="pill">development only</span>
      <span class="grow" />
      <span class="live" data-live={live} role="status">
        {live}
      </span>
      <button
        type="button"
        class="palette-button"
        onClick={() => (dialog.value = "palette")}
        aria-keyshortcuts="Control+K Meta+K"
      >
        Go to<kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <IconButton icon="help" label="Help" title="Keys" onClick={() => (dialog.value = "help")} />
      <IconButton
        icon={theme.value === "dark" ? "moon" : "service"}
        label="Theme"
        title={`Switch to the ${theme.value === "dark" ? "light" : "dark"} theme`}
        onClick={toggleTheme}
      />
    </header>
  );
}

/** The application's name and address, also the title of the page, so that several tabs are distinguishable. */
export function appName(mount: string): string {
  const name = document.documentElement.dataset["app"];
  return `${name === undefined ? "" : `${name} · `}${location.host}${mount}`;
}

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

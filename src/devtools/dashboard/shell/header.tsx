/**
 * The header, which leads to the places of the page.
 */

import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { IconButton } from "../page/widgets.tsx";
import { application, panels } from "../store/page-store.ts";
import { places } from "../store/panels.ts";
import { useSlice } from "../store/slice.ts";
import { FIRST_PLACE, formatLink, parseLink } from "./address.ts";
import { linkSlice } from "./link.ts";
import { placeViews } from "./places.tsx";
import { themeSlice } from "./theme.ts";

const { theme, toggleTheme } = useSlice(themeSlice);
const { link } = useSlice(linkSlice);

/** Name, places, palette, live state, theme, help. */
export function Header(): JSX.Element {
  const { dialog } = panels;
  const { online, mount } = application;
  useLayoutEffect(() => {
    document.title = `${appName(mount.value)} · devtools`;
  }, [mount.value]);
  const state = online.value === null ? "connecting" : online.value ? "live" : "offline, retrying";
  return (
    <header class="top">
      <h1 class="app-name" title="framework devtools">
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
          <path d="M4 9h5l4-5M9 9l4 5" />
          <circle cx="4" cy="9" r="2.5" />
          <circle cx="14" cy="4" r="2.5" />
          <circle cx="14" cy="14" r="2.5" />
        </svg>
        <b>{document.documentElement.dataset["app"] ?? "devtools"}</b>
        <span>{location.host + mount.value}</span>
      </h1>
      <span class="pill">development only</span>
      <Places />
      <span class="grow" />
      <button
        type="button"
        class="palette-button"
        onClick={() => (dialog.value = "palette")}
        aria-keyshortcuts="Control+K Meta+K"
      >
        Go to<kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <span class="live" data-live={state} role="status">
        {state}
      </span>
      <IconButton
        icon={theme.value === "dark" ? "moon" : "service"}
        label="Theme"
        isQuiet
        title={`Switch to the ${theme.value === "dark" ? "light" : "dark"} theme`}
        onClick={toggleTheme}
      />
      <IconButton icon="help" label="Help" isQuiet title="Keys" onClick={() => (dialog.value = "help")} />
    </header>
  );
}

/** A link to each place, with what is selected. */
function Places(): JSX.Element {
  const now = parseLink(link.value);
  return (
    <nav class="places" aria-label="Places">
      {places.map((place) => (
        <a
          key={place}
          href={formatLink({ ...now, place: place === FIRST_PLACE ? null : place }) || "#"}
          aria-current={panels.place.value === place ? "page" : undefined}
        >
          {placeViews[place].name}
        </a>
      ))}
    </nav>
  );
}

/** The application's name and address, also the title of the page, so that several tabs are distinguishable. */
export function appName(mount: string): string {
  const name = document.documentElement.dataset["app"];
  return `${name === undefined ? "" : `${name} · `}${location.host}${mount}`;
}

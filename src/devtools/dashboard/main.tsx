/**
 * Starts the page. The theme is set before this runs, by the boot script that the build puts first.
 */

import { render } from "preact";
import { App } from "./shell/app.tsx";
import { store } from "./store/browser.ts";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
store.start();

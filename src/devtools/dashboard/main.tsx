/**
 * Starts the page with the views and the first load. The theme is set before this runs, by the boot
 * script that the build puts first.
 */

import { render } from "preact";
import { takeDroppedFiles } from "./runs/drop-files.ts";
import { liveSlice } from "./runs/live.ts";
import { followServices } from "./runs/other-services.ts";
import { followSearch } from "./runs/searching.ts";
import { App } from "./shell/app.tsx";
import { linkSlice } from "./shell/link.ts";
import { useSlice as use } from "./store/slice.ts";

const { openLink, openPlace } = use(linkSlice);
openPlace(location.hash);
const root = document.getElementById("app");
if (root) render(<App />, root);

const { load, listen } = use(liveSlice);
void load().then(() => openLink(location.hash));
listen();
followServices(use);
followSearch(use);
takeDroppedFiles(use);

/**
 * Saves the graph as it is shown: the whole picture, in the colours of the theme.
 */

import { viewOf } from "./bean-view.ts";
import { saveFile, toPng } from "../page/download.ts";
import { entry, picture } from "./picture.ts";
import { graphSvg } from "./svg.ts";
import type { SvgFile } from "./svg.ts";
import { store } from "../store/browser.ts";
import { boldPaths } from "./bold-paths.ts";

const SCALE = 2;

/** Saves it; when the browser cannot, the page says why. */
export function saveGraph(as: "svg" | "png"): void {
  const file = draw();
  const name = fileName();
  if (as === "svg") return saveFile(`${name}.svg`, "image/svg+xml", file.text);
  toPng(file.text, file.width, file.height, SCALE).then(
    (png) => saveFile(`${name}.png`, "image/png", png),
    (error: unknown) => {
      store.notice.value = error instanceof Error ? error.message : String(error);
    },
  );
}

/** The picture as it is shown now. */
export function draw(): SvgFile {
  const bold = store.boldEdges.value;
  const paths = boldPaths(bold, picture.value, entry.value);
  return graphSvg({
    picture: picture.value,
    beans: store.beans.value,
    viewOf: (id) => viewOf(id, store),
    reach: store.reach.value,
    bold: new Map([...paths].map(([key, path]) => [key, { ...path, side: bold.get(key)?.side }])),
    entry: entry.value,
    method: store.trace.value?.method ?? store.route.value?.method ?? null,
    theme: store.theme.value,
    title: store.routeId.value ?? "Beans",
  });
}

function fileName(): string {
  const of = (store.routeId.value ?? "beans").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return `graph-${of}`;
}

/**
 * Saves the graph as a picture file: the whole of it, in the colours of the theme.
 */

import { saveFile, toPng } from "../page/download.ts";
import { graphSvg } from "./svg.ts";
import type { Drawing } from "./svg.ts";

const SCALE = 2;

/** Saves it under a name that says what it shows; rejects when the browser cannot draw it. */
export async function saveGraph(drawing: Drawing, as: "svg" | "png"): Promise<void> {
  const { text, width, height } = graphSvg(drawing);
  const name = `graph-${(drawing.route ?? "beans").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "")}`;
  if (as === "svg") saveFile(`${name}.svg`, "image/svg+xml", text);
  else saveFile(`${name}.png`, "image/png", await toPng(text, width, height, SCALE));
}

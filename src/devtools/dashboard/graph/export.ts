/**
 * Saves the whole drawn graph as a picture file, for any position of the camera.
 *
 *   the SVGs on screen ──▶ a copy, each element with the style that it has ──▶ text ──▶ SVG, or drawn as PNG
 *
 * The file is self-contained, with colours, fonts and arrows.
 */

import { saveFile, toPng } from "../page/download.ts";

const SCALE = 2;
const MARGIN = 28;
/** The styles of an element that a picture needs; each is inherited. */
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-opacity",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
];

/** Saves the content of `host`, with a line of text below it; rejects when the browser cannot draw it. */
export async function saveGraph(host: Element, title: string, below: string, as: "svg" | "png"): Promise<void> {
  const { text, width, height } = pictureOf(host, title, below);
  const name = `graph-${title.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "")}`;
  if (as === "svg") saveFile(`${name}.svg`, "image/svg+xml", text);
  else saveFile(`${name}.png`, "image/png", await toPng(text, width, height, SCALE));
}

function pictureOf(host: Element, title: string, below: string) {
  const layers = [...host.querySelectorAll<SVGGElement>("svg > g")];
  const boxes = layers.map((layer) => layer.getBBox()).filter((box) => box.width > 0);
  const left = Math.min(0, ...boxes.map((box) => box.x)) - MARGIN;
  const top = Math.min(0, ...boxes.map((box) => box.y)) - MARGIN;
  const width = Math.ceil(Math.max(0, ...boxes.map((box) => box.x + box.width)) - left + MARGIN);
  const bottom = Math.max(0, ...boxes.map((box) => box.y + box.height)) + MARGIN;
  const height = Math.ceil(bottom - top + (below ? MARGIN : 0));
  const { backgroundColor, color, fontFamily } = getComputedStyle(host);
  const svg = element("svg", { width, height, viewBox: `${left} ${top} ${width} ${height}` });
  svg.append(
    element("title", {}, title),
    element("rect", { x: left, y: top, width, height, fill: backgroundColor }),
    ...[...host.querySelectorAll("svg > defs")].map(copied),
    ...layers.map((layer) => {
      const copy = copied(layer);
      copy.removeAttribute("transform"); // the camera's position
      return copy;
    }),
    element("text", { x: left + MARGIN, y: bottom, fill: color, "font-family": fontFamily, "font-size": 13 }, below),
  );
  const text = new XMLSerializer().serializeToString(svg);
  // Characters outside of XML, which a bean's name may have.
  // eslint-disable-next-line no-control-regex -- these are what XML cannot hold
  const clean = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, "\uFFFD");
  return { text: clean, width, height };
}

function element(name: string, attributes: Readonly<Record<string, string | number>>, text = ""): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

/** A copy that looks the same without the page around it. */
function copied(original: Element): Element {
  const copy = original.cloneNode(false) as Element;
  for (const { name } of Array.from(copy.attributes))
    if (/^(class|style|role|tabindex|data-.*|aria-.*)$/.test(name)) copy.removeAttribute(name);
  const style = getComputedStyle(original);
  const around = original.parentElement?.closest("g, defs, marker");
  const inherited = around ? getComputedStyle(around) : undefined;
  for (const name of STYLES) {
    const value = style.getPropertyValue(name);
    if (value !== inherited?.getPropertyValue(name)) copy.setAttribute(name, value);
  }
  // Except a path that is still being drawn.
  if (original.hasAttribute("data-state")) copy.setAttribute("opacity", style.opacity);
  copy.append(...[...original.childNodes].map((node) => (node instanceof Element ? copied(node) : node.cloneNode())));
  return copy;
}

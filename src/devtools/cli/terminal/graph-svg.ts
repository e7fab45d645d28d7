/**
 * Graph SVG: the bean graph as a self-contained file, for use without a page. Pure.
 *
 *   placed beans, edges, colours ──▶ text
 *
 * Every name is escaped, so a bean named like markup stays a name.
 */
import { placesIn, stripePath } from "../../run/graph/bean-box.ts";
import { FONT } from "../../run/graph/geometry.ts";
import type { Layout, PlacedBean } from "../../run/graph/shapes.ts";
import { ICONS } from "../../run/graph/icon-paths.ts";
import type { BeanGraph, BeanNode } from "../../run/shapes.ts";
import { printable } from "./printable.ts";

const MARGIN = 28;

/** Draws the beans of a graph at their places; `colour` returns the colour of a token of run/graph/tokens.ts, e.g. `s-service`. */
export function graphSvg({ nodes }: BeanGraph, picture: Layout, colour: (token: string) => string): string {
  const size = `width="${Math.ceil(picture.width + 2 * MARGIN)}" height="${Math.ceil(picture.height + 2 * MARGIN)}"`;
  const view = `viewBox="${-MARGIN} ${-MARGIN} ${Math.ceil(picture.width + 2 * MARGIN)} ${Math.ceil(picture.height + 2 * MARGIN)}"`;
  const arrow =
    `<marker id="edge" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" ` +
    `markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0 1 10 5 0 9z" fill="${colour("edge")}"/></marker>`;
  const edges = picture.edges.map(
    ({ d, back }) =>
      `<path d="${d}" fill="none" stroke="${colour("edge")}" stroke-width="1.5" marker-${back ? "start" : "end"}="url(#edge)"/>`,
  );
  const beans = nodes.flatMap((bean) => {
    const at = picture.beans.get(bean.id);
    return at === undefined ? [] : [node(bean, at, colour)];
  });
  const parts = [
    "<title>Beans</title>",
    `<defs>${arrow}</defs>`,
    `<rect x="${-MARGIN}" y="${-MARGIN}" ${size} fill="${colour("canvas")}"/>`,
    ...edges,
    ...beans,
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${view} font-family="${escape(FONT)}">\n${parts.join("\n")}\n</svg>\n`;
}

function node(bean: BeanNode, at: PlacedBean, colour: (token: string) => string): string {
  const own = colour(`s-${bean.stereotype}`);
  const place = placesIn(at);
  const words =
    `<text x="${place.text}" y="${at.height / 2}" font-size="13" fill="${colour("text")}" ` +
    `dominant-baseline="central">${escape(bean.name)}</text>`;
  const unrecorded =
    `<path d="${ICONS.unrecorded}" transform="translate(${at.width - 20} 5) scale(.8)" fill="none" ` +
    `stroke="${colour("muted")}" stroke-width="1.6"/>`;
  return (
    `<g transform="translate(${at.x} ${at.y})">` +
    `<rect width="${at.width}" height="${at.height}" rx="8" fill="${colour("panel")}" stroke="${own}" stroke-width="1.4"/>` +
    `<path d="${stripePath(at)}" fill="${own}"/>` +
    `<path d="${ICONS[bean.stereotype]}" transform="translate(${place.icon} ${at.height / 2 - 8})" fill="none" ` +
    `stroke="${colour("on-colour")}" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/>` +
    `${words}${bean.traceable ? "" : unrecorded}</g>`
  );
}

/** Text for XML. Markup and characters that a reader would act on or not see are escaped, those outside of XML 1.0 replaced. */
function escape(words: string): string {
  return printable(words)
    .replace(/\p{Surrogate}/gu, "\uFFFD")
    .replace(/[\ufffe\uffff]/g, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/**
 * The graph as an SVG file where there is no page that shows it (export.ts copies what the page shows). Pure.
 *
 *   picture + views + bold paths + colours ──▶ text
 *
 * Every name is escaped, so a bean named like markup stays a name.
 */

import type { BeanNode } from "../../wire.ts";
import type { Side } from "../../analysis/sides.ts";
import { ICONS } from "../page/icon-paths.ts";
import { edgeView, nameIn, pillWidth, placesIn, stripePath, wordsOf } from "./bean-view.ts";
import type { BeanView, Places } from "./bean-view.ts";
import { FONT, PILL } from "./geometry.ts";
import type { Entry } from "./geometry.ts";
import { groupLabel } from "./groups.ts";
import type { BeanGroup } from "./groups.ts";
import type { BoldPath, Layout, PlacedBean } from "./shapes.ts";

/** What is to be drawn. */
export interface Drawing {
  readonly picture: Layout;
  readonly beans: ReadonlyMap<string, BeanNode>;
  readonly viewOf: (id: string) => BeanView;
  readonly reach: ReadonlySet<string> | null;
  readonly bold: ReadonlyMap<string, BoldPath & { readonly side?: Side | undefined; readonly declared?: boolean }>;
  readonly entry: Entry | null;
  /** Beans that are collapsed; they are counted below the picture. */
  readonly groups: readonly BeanGroup[];
  /** The method of the route or run; null without one. */
  readonly method: string | null;
  /** The colour of a token of page/tokens.ts, e.g. `s-service`; empty for a name that is none. */
  readonly colour: (token: string) => string;
  /** The route that is shown, e.g. `GET /orders/{id}`; null when it is all beans. */
  readonly route: string | null;
}

/** A file's text and its size in pixels. */
export interface SvgFile {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

const MARGIN = 28;
const DASHES: Readonly<Record<Side, string>> = { both: "", a: "2 6", b: "10 7" };

/** Draws it. */
export function graphSvg(drawing: Drawing): SvgFile {
  const { picture, entry, colour } = drawing;
  const left = Math.min(0, entry?.x ?? 0) - MARGIN;
  const top = Math.min(0, entry?.y ?? 0) - MARGIN;
  const width = Math.ceil(picture.width - left + MARGIN);
  const groups = drawing.groups
    .filter((group) => !group.open)
    .map(groupLabel)
    .join("   ");
  const height = Math.ceil(picture.height - top + MARGIN + (groups === "" ? 0 : MARGIN));
  const parts = [
    `<title>${escape(drawing.route ?? "Beans")}</title>`,
    `<defs>${arrow("edge", colour("edge"), 7)}${arrow("run", methodColour(drawing), 10)}` +
      `${arrow("stray", colour("canvas"), 13, methodColour(drawing))}</defs>`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${colour("canvas")}"/>`,
    ...edges(drawing),
    ...entryPill(drawing),
    ...[...picture.beans.values()].map((at) => node(drawing, at)),
    groups === "" ? "" : text(left + MARGIN, top + height - MARGIN / 2, 13, groups, colour("muted")),
  ];
  const whole =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="${left} ${top} ${width} ${height}" font-family="${escape(FONT)}">\n${parts.join("\n")}\n</svg>\n`;
  return { text: whole, width, height };
}

const methodColour = ({ method, colour }: Drawing): string =>
  colour(method === null ? "edge" : `m-${method.toLowerCase()}`) || colour("m-options");

/** The colour of text on the method's. */
const inkOn = ({ method, colour }: Drawing): string =>
  (method === null ? "" : colour(`on-${method.toLowerCase()}`)) || colour("on-colour");

function arrow(id: string, fill: string, size: number, stroke?: string): string {
  const line = stroke === undefined ? "" : ` stroke="${stroke}" stroke-width="1.8"`;
  const path = stroke === undefined ? "M0 1 10 5 0 9z" : "M1 1.5 9 5 1 8.5z";
  return (
    `<marker id="${id}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="${size}" markerHeight="${size}" ` +
    `markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="${path}" fill="${fill}"${line}/></marker>`
  );
}

function edges(drawing: Drawing): string[] {
  const { colour } = drawing;
  const end = (back: boolean, id: string): string => `marker-${back ? "start" : "end"}="url(#${id})"`;
  const still = drawing.picture.edges.map((edge) => {
    const state = edgeView(edge, drawing.reach, drawing.bold);
    return (
      `<path d="${edge.d}" fill="none" stroke="${colour("edge")}" stroke-width="1.5" ${end(edge.back, "edge")}` +
      `${state === "dim" ? ' opacity="0.28"' : ""}/>`
    );
  });
  const bold = [...drawing.bold.values()].map(({ d, back, side, declared }) => {
    const dashes = DASHES[side ?? "both"];
    return (
      `<path d="${d}" fill="none" stroke="${methodColour(drawing)}" stroke-width="3.4" ` +
      `${end(back, declared === false ? "stray" : "run")}${dashes === "" ? "" : ` stroke-dasharray="${dashes}"`}/>`
    );
  });
  return [...still, ...bold];
}

function entryPill(drawing: Drawing): string[] {
  const { entry, method, bold, colour } = drawing;
  if (entry === null || method === null) return [];
  const own = methodColour(drawing);
  const sent = bold.size > 0;
  const ways = sent
    ? []
    : entry.edges.map(
        ({ d }) => `<path d="${d}" fill="none" stroke="${own}" stroke-width="2" marker-end="url(#run)"/>`,
      );
  const { width, height } = PILL;
  return [
    ...ways,
    `<rect x="${entry.x}" y="${entry.y}" width="${width}" height="${height}" rx="${height / 2}" ` +
      `fill="${sent ? own : colour("panel")}" stroke="${own}" stroke-width="2.4"/>`,
    text(entry.x + width / 2, entry.y + height / 2, 13, method, sent ? inkOn(drawing) : colour("text"), "middle"),
  ];
}

function node(drawing: Drawing, at: PlacedBean): string {
  const { colour } = drawing;
  const bean = drawing.beans.get(at.id);
  if (bean === undefined) return "";
  const view = drawing.viewOf(at.id);
  const { pill, line } = wordsOf(view, bean);
  const threw = "run" in view && view.run.threw;
  const own = colour(`s-${bean.stereotype}`);
  const strong = threw ? colour("error") : methodColour(drawing);
  const onPath = view.state === "path";
  const dashes = "change" in view ? DASHES[view.change.side] : "";
  const place = placesIn(at);
  const parts = [
    `<rect width="${at.width}" height="${at.height}" rx="8" fill="${colour("panel")}" ` +
      `stroke="${onPath ? strong : own}" stroke-width="${onPath ? 3 : 1.4}"${dashes === "" ? "" : ` stroke-dasharray="${dashes}"`}/>`,
    `<path d="${stripePath(at)}" fill="${own}"/>`,
    `<path d="${ICONS[bean.stereotype]}" transform="translate(${place.icon} ${at.height / 2 - 8})" fill="none" ` +
      `stroke="${colour("on-colour")}" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/>`,
    ...nameIn(bean.name, at).map((words, i, all) =>
      text(
        place.text,
        i === 1 ? place.rest : all.length === 1 && line === undefined ? at.height / 2 : place.name,
        13,
        words,
        colour("text"),
      ),
    ),
    line === undefined ? "" : text(place.text, place.line, 13, line, colour("muted")),
    bean.traceable
      ? ""
      : `<path d="${ICONS.unrecorded}" transform="translate(${at.width - 20} 5) scale(.8)" fill="none" ` +
        `stroke="${colour("muted")}" stroke-width="1.6"/>`,
    pill === undefined ? "" : pillAt(place, pill, strong, threw ? colour("on-colour") : inkOn(drawing)),
  ];
  const dim = view.state === "dim" ? ' opacity="0.28"' : "";
  return `<g transform="translate(${at.x} ${at.y})"${dim}>${parts.join("")}</g>`;
}

function pillAt(place: Places, words: string, fill: string, ink: string): string {
  const width = pillWidth(words);
  return (
    `<g transform="translate(${place.pillEnd - width} ${place.pill})">` +
    `<rect width="${width}" height="${place.pillHeight}" rx="${place.pillHeight / 2}" fill="${fill}"/>` +
    `${text(width / 2, place.pillHeight / 2 + 0.5, 13, words, ink, "middle")}</g>`
  );
}

function text(x: number, y: number, size: number, words: string, fill: string, anchor = "start"): string {
  return (
    `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" text-anchor="${anchor}" ` +
    `dominant-baseline="central">${escape(words)}</text>`
  );
}

/** Text for XML: markup is escaped, and characters that XML 1.0 cannot hold are replaced. */
function escape(words: string): string {
  return (
    words
      .replace(/\p{Surrogate}/gu, "\uFFFD")
      // eslint-disable-next-line no-control-regex -- these are what XML cannot hold
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\uFFFD")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
  );
}

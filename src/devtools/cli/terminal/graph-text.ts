/**
 * Graph text: the bean graph for a terminal, for Mermaid, and as a picture.
 *
 *   controller  OrderController  → Clock, OrderService
 *   service     OrderService     → Mailer, OrderRepository
 *   bean        Postgres         not recorded
 *
 * Beans are in the order of a request, each before its dependencies.
 */
import { BEAN_HEIGHT } from "../../run/graph/geometry.ts";
import { layout } from "../../run/graph/layout.ts";
import { count } from "../../run/format.ts";
import { stereotypes, tokens } from "../../run/graph/tokens.ts";
import type { BeanGraph, BeanNode } from "../../run/shapes.ts";
import { graphSvg } from "./graph-svg.ts";
import { columnsOf, cutTo, printable } from "./printable.ts";
import type { Screen } from "./screen.ts";

/** The graph, line by line. */
export function graphLines(graph: BeanGraph, screen: Screen): readonly string[] {
  const { nodes, edges, unspied } = graph;
  const { width, paint } = screen;
  const not = unspied.length === 0 ? "" : ` · ${unspied.length} not recorded`;
  const words = `${count(nodes.length, "bean")} · ${count(edges.length, "dependency", "dependencies")}${not}`;
  const head = paint("strong", cutTo(words, width));
  const ordered = inOrder(graph);
  const longest = Math.max(0, ...nodes.map(({ id }) => columnsOf(printable(id))));
  const nameWidth = Math.min(longest, Math.max(8, Math.floor(width / 3) - 4));
  const lines = ordered.flatMap((node) => beanLines(node, nameWidth, screen));
  return lines.length === 0 ? [head] : [head, "", ...lines];
}

function beanLines(node: BeanNode, nameWidth: number, { width, paint }: Screen): readonly string[] {
  const kind = node.stereotype.padEnd(10);
  const name = cutTo(printable(node.id), nameWidth);
  const gap = " ".repeat(Math.max(0, nameWidth - columnsOf(name)));
  const indent = kind.length + nameWidth + 4;
  const names = node.dependencies.map(printable).sort();
  const wrapped = wrap(names, Math.max(8, width - indent - 2));
  const not = node.traceable ? [] : [paint("warn", cutTo(`not recorded: ${node.reason ?? ""}`, width - indent))];
  const [first = "", ...more] = [...wrapped.map((line, at) => (at === 0 ? `→ ${line}` : `  ${line}`)), ...not];
  const head = `${paint("muted", kind)}  ${paint("name", name)}`;
  return [first === "" ? head : `${head}${gap}  ${first}`, ...more.map((line) => `${" ".repeat(indent)}${line}`)];
}

/** Names in a row, on as many lines as they need. */
function wrap(names: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const [at, name] of names.entries()) {
    const word = cutTo(at === names.length - 1 ? name : `${name},`, width);
    const last = lines.at(-1);
    if (last !== undefined && columnsOf(last) + columnsOf(word) + 1 <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** By column of the drawing, which is left to right like a request, and within it by name. */
function inOrder(graph: BeanGraph): readonly BeanNode[] {
  const { layers } = drawn(graph);
  const layerOf = new Map(layers.flatMap((ids, layer) => ids.map((id) => [id, layer] as const)));
  const rank = ({ id }: BeanNode): number => layerOf.get(id) ?? layers.length;
  return graph.nodes.toSorted((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

function drawn({ nodes, edges }: BeanGraph): ReturnType<typeof layout> {
  const beans = new Map(nodes.map((node) => [node.id, node]));
  return layout(
    nodes.map(({ id }) => id),
    edges,
    (id) => sizeOf(beans.get(id)),
  );
}

/** The width of a character of 13 pixels in the monospaced fonts of the graph, since there is no canvas to measure it. */
const CHARACTER = 7.9;

function sizeOf(bean: BeanNode | undefined): { readonly width: number; readonly height: number } {
  const name = Math.ceil(columnsOf(printable(bean?.name ?? "")) * CHARACTER) + (bean?.traceable === false ? 18 : 0);
  return { width: Math.max(124, name + 62), height: BEAN_HEIGHT };
}

/** The graph as a Mermaid flowchart, as README files and pull requests show it. */
export function graphMermaid({ nodes, edges }: BeanGraph): readonly string[] {
  const key = new Map(nodes.map(({ id }, at) => [id, `b${at}`]));
  const used = stereotypes.filter((stereotype) => nodes.some((node) => node.stereotype === stereotype));
  return [
    "flowchart LR",
    ...nodes.map(({ id, stereotype }) => `  ${key.get(id)}["${mermaidText(id)}"]:::${stereotype}`),
    ...edges.map(({ from, to }) => `  ${key.get(from)} --> ${key.get(to)}`),
    ...used.map((one) => `  classDef ${one} fill:${tokens.light[`s-${one}`]},color:${tokens.light["on-colour"]}`),
  ];
}

/** Names in quotes. Characters with a meaning for Mermaid or a browser become entities. */
function mermaidText(text: string): string {
  return printable(text).replace(/["#<>&`\\;]/g, (one) => `#${one.codePointAt(0)};`);
}

/** The graph as the page draws it, in the light colours. */
export function graphPicture(graph: BeanGraph): string {
  return graphSvg(graph, drawn(graph), (token) => tokens.light[token] ?? "");
}

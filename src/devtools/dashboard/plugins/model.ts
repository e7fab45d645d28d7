/**
 * The content of a panel, from its value. Pure.
 *
 *   kind "table" ──▶ tableOf ──▶ columns, rows of texts        kind "graph" ──▶ drawingOf ──▶ boxes, edges
 *   a value that does not fit its kind ──▶ undefined: the tree shows it
 */

import type { Json } from "../../run/shapes.ts";
import { layout, ROOMY } from "../../run/graph/layout.ts";
import type { Layout } from "../../run/graph/shapes.ts";
import { jsonRows } from "../json/rows.ts";
import { count } from "../../run/format.ts";
import { isObject } from "../../run/values.ts";

/** A table's columns and its cells as texts. */
export interface PanelTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly cut: number;
}

/** A still drawing. */
export interface PanelDrawing {
  readonly picture: Layout;
  readonly labels: ReadonlyMap<string, string>;
}

const FOLDED = { opened: new Set<string>(), closed: new Set(["$"]) };
const BOX_HEIGHT = 32;

/** Rows of an array of objects, or undefined for any other value. */
export function tableOf(data: Json): PanelTable | undefined {
  if (!Array.isArray(data)) return undefined;
  const items: readonly Json[] = data;
  const last = items.at(-1);
  const cut = isObject(last) && typeof last["$truncated"] === "number" ? last["$truncated"] : 0;
  const rows = cut === 0 ? items : items.slice(0, -1);
  if (!rows.every(isObject)) return undefined;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((key) => !/^\$(?!\$)/.test(key));
  return { columns: columns.map(unescaped), rows: rows.map((row) => columns.map((key) => cellText(row[key]))), cut };
}

/** Nodes and edges, placed. Undefined when the value has none. */
export function drawingOf(data: Json, widthOf: (text: string) => number): PanelDrawing | undefined {
  if (!isObject(data) || !Array.isArray(data["nodes"])) return undefined;
  const nodes: readonly Json[] = data["nodes"];
  const edges = Array.isArray(data["edges"]) ? (data["edges"] as readonly Json[]) : [];
  const labels = new Map(
    nodes.flatMap((node) => {
      if (!isObject(node) || typeof node["id"] !== "string") return [];
      const { id, label } = node;
      return [[id, typeof label === "string" ? label : id] as const];
    }),
  );
  const links = edges.flatMap((edge) => {
    if (!isObject(edge)) return [];
    const { from, to } = edge;
    return typeof from === "string" && typeof to === "string" ? [{ from, to }] : [];
  });
  const sizeOf = (id: string) => ({ width: Math.ceil(widthOf(labels.get(id) ?? id)) + 24, height: BOX_HEIGHT });
  return { picture: layout([...labels.keys()], links, sizeOf, ROOMY), labels };
}

/** A value in one line: a text unchanged, anything else as the folded tree writes it. */
function cellText(value: Json | undefined): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  if (isObject(value) && typeof value["$date"] === "string") return value["$date"];
  const [row] = jsonRows(value, FOLDED, true);
  if (!row) return "";
  if (row.kind !== "folded" || row.size === 0) return row.text;
  return `${row.label} ${count(row.size, row.text === "[]" ? "item" : "key")}`.trim();
}

/** A key of the value's own that begins with `$` is written with `$$`. */
const unescaped = (key: string): string => key.replace(/^\$\$/, "$");

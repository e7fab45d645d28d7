/**
 * The Panels tab: plugins' own data, as a table, a tree or a still drawing.
 */

import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { Panel } from "../../run/shapes.ts";
import { textWidth } from "../../run/graph/geometry.ts";
import { JsonView } from "../json/view.tsx";
import { count } from "../../run/format.ts";
import { Empty, Failure, Select, Table } from "../page/widgets.tsx";
import { application } from "../store/page-store.ts";
import { useSlice } from "../store/slice.ts";
import { drawingOf, tableOf, type PanelDrawing, type PanelTable } from "./model.ts";
import { pluginPanelsSlice } from "./panels.ts";

const plugins = useSlice(pluginPanelsSlice);

const MARGIN = 12;

/** The chosen panel, read when it is chosen and on demand. */
export function Panels(): JSX.Element {
  const { panels } = application;
  const { panel, failure, read } = plugins;
  const infos = panels.value;
  const shown = panel.value;
  const first = infos[0]?.name;
  useLayoutEffect(() => {
    if (first !== undefined && !infos.some(({ name }) => name === shown?.name)) void read(first);
  }, [infos]);
  if (first === undefined) return <Empty title="No panels">No plugin shows one.</Empty>;
  return (
    <div class="panels">
      <div class="panel-bar">
        <Select
          label="Panel"
          options={infos.map(({ name, title }) => [name, title])}
          value={shown?.name ?? first}
          onChange={(name) => void read(name)}
        />
        <button type="button" class="quiet" onClick={() => void read(shown?.name ?? first)}>
          Read again
        </button>
      </div>
      <Failure reason={failure.value} />
      {shown && <Value key={shown.name} panel={shown} />}
    </div>
  );
}

function Value({ panel }: { readonly panel: Panel }): JSX.Element {
  const { title, kind, data, error } = panel;
  if (error)
    return (
      <p class="notice" role="alert">
        <b>{error.name}</b> {error.message}
      </p>
    );
  const table = kind === "table" ? tableOf(data) : undefined;
  if (table) return <Rows title={title} table={table} />;
  const drawing = kind === "graph" ? drawingOf(data, textWidth) : undefined;
  if (drawing) return <Drawing title={title} drawing={drawing} />;
  return <JsonView value={data} label={title} rows={40} tagged />;
}

function Rows({ title, table }: { readonly title: string; readonly table: PanelTable }): JSX.Element {
  const { columns, rows, cut } = table;
  return (
    <>
      <Table label={title} head={columns}>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map((text, column) => (
              <td key={column}>{text}</td>
            ))}
          </tr>
        ))}
      </Table>
      <p class="muted">
        {count(rows.length, "row")}
        {cut > 0 && `, ${cut} more left out`}
      </p>
    </>
  );
}

function Drawing({ title, drawing }: { readonly title: string; readonly drawing: PanelDrawing }): JSX.Element {
  const { picture, labels } = drawing;
  const [width, height] = [picture.width + 2 * MARGIN, picture.height + 2 * MARGIN];
  return (
    <svg
      class="panel-graph"
      role="img"
      aria-label={`${title}: ${count(labels.size, "node")}, ${count(picture.edges.length, "edge")}`}
      width={width}
      height={height}
      viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}
    >
      <g class="edges">
        {picture.edges.map(({ from, to, d, back }) => (
          <path key={`${from} ${to}`} d={d} {...{ [back ? "marker-start" : "marker-end"]: "url(#arrow-edge)" }} />
        ))}
      </g>
      {[...picture.beans.values()].map(({ id, x, y, width, height }) => (
        <g key={id} transform={`translate(${x} ${y})`}>
          <rect width={width} height={height} rx="8" />
          <text x={width / 2} y={height / 2}>
            {labels.get(id)}
          </text>
        </g>
      ))}
    </svg>
  );
}

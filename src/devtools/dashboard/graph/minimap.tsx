/**
 * A small map of a large graph, with the camera's view and a way to move it. Shown over 30 beans, and
 * only while part of the picture is out of sight.
 */

import type { JSX, RefObject } from "preact";
import { useMemo } from "preact/hooks";
import { selection } from "../store/page-store.ts";
import { MINIMAP_FROM } from "./viewport.ts";
import type { Camera } from "../../run/graph/geometry.ts";
import type { Layout, Size } from "../../run/graph/shapes.ts";
import { graph } from "./page-graph.ts";

const MARGIN = 30;

/** Moves the frame of the screen without rendering; hides the map when everything is in sight. */
export function frame(rect: SVGRectElement, camera: Camera, screen: Size, layout: Layout): void {
  const [x, y] = [-camera.x / camera.scale, -camera.y / camera.scale];
  const [width, height] = [screen.width / camera.scale, screen.height / camera.scale];
  for (const [name, value] of Object.entries({ x, y, width, height })) rect.setAttribute(name, String(value));
  const whole = x <= 0 && y <= 0 && x + width >= layout.width && y + height >= layout.height;
  rect.ownerSVGElement?.toggleAttribute("data-whole", whole);
}

/** The map; a click or drag moves the camera. Keys have arrows, F and 0 for the same. */
export function Minimap(props: {
  readonly sight: RefObject<SVGRectElement | null>;
  readonly onCenter: (x: number, y: number) => void;
}): JSX.Element | null {
  const { width, height, beans } = graph.picture.value;
  const dots = useMemo(
    () =>
      [...beans.values()].map((b) => (
        <rect
          key={b.id}
          x={b.x}
          y={b.y}
          width={b.width}
          height={b.height}
          data-stereotype={selection.beans.value.get(b.id)?.stereotype}
        />
      )),
    [beans],
  );
  if (beans.size < MINIMAP_FROM) return null;
  const look = (event: PointerEvent): void => {
    const map = event.currentTarget;
    if (!(map instanceof SVGSVGElement) || event.buttons !== 1) return;
    map.setPointerCapture(event.pointerId);
    const matrix = map.getScreenCTM();
    if (!matrix) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    props.onCenter(at.x, at.y);
  };
  return (
    <svg
      class="minimap"
      aria-hidden="true"
      viewBox={`${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`}
      onPointerDown={look}
      onPointerMove={look}
    >
      {dots}
      <rect class="sight" ref={props.sight} />
    </svg>
  );
}

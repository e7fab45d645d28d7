/**
 * Beans that are not on the path, as one counted node; a click shows them one by one, another one collapses them.
 */

import type { JSX } from "preact";
import { StereotypePath } from "../page/icons.tsx";
import { useSlice } from "../store/slice.ts";
import { groupLabel } from "./groups.ts";
import type { BeanGroup } from "./groups.ts";
import { graphSlice } from "./picture.ts";
import type { PlacedBean } from "./shapes.ts";

/** The node of a group. */
export function GroupNode(props: { readonly group: BeanGroup; readonly at: PlacedBean | undefined }): JSX.Element | null {
  const graph = useSlice(graphSlice);
  const { group, at } = props;
  if (at === undefined) return null;
  const isHit = !group.open && graph.hits.value.some((id) => group.members.includes(id));
  return (
    <g
      class="node group"
      data-node={group.id}
      data-group={group.stereotype}
      data-count={group.members.length}
      data-open={group.open ? "" : undefined}
      data-found={isHit ? "" : undefined}
      data-state={group.reach ? "reach" : "dim"}
      data-stereotype={group.stereotype}
      transform={`translate(${at.x} ${at.y})`}
      onClick={() => graph.toggleGroup(group)}
    >
      <g
        class="handle"
        role="button"
        tabindex={-1}
        aria-expanded={group.open}
        aria-label={`${groupLabel(group)} not on the path`}
      >
        <rect class="box" width={at.width} height={at.height} rx={at.height / 2} />
        <StereotypePath of={group.stereotype} x={10} y={at.height / 2 - 8} />
        <text class="name" aria-hidden="true" x="32" y={at.height / 2}>
          {groupLabel(group)}
        </text>
        <path class="glyph" d={group.open ? "M0 3 4-1 8 3" : "M0-1 4 3 8-1"} transform={`translate(${at.width - 20} ${at.height / 2 - 1})`} />
      </g>
    </g>
  );
}

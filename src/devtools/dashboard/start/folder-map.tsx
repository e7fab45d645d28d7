/**
 * The groups of beans: features as rows with their traffic, what they share and what is below at the right, lines between them.
 */

import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { count, duration, rate } from "../../run/format.ts";
import { stereotypes } from "../../run/graph/tokens.ts";
import type { BeanFolder } from "../../run/overview/groups.ts";
import type { Traffic } from "../../run/overview/minute.ts";
import { placing, type FolderPlace } from "../../run/overview/placing.ts";
import type { BeanNode, Stereotype } from "../../run/shapes.ts";
import { Icon } from "../page/icons.tsx";
import { Quantity } from "../page/quantity.tsx";
import { useSize } from "../page/use-size.ts";
import { Choice } from "../page/widgets.tsx";
import { application } from "../store/page-store.ts";
import { heats } from "./overview.ts";
import { lastMinute, overview } from "./page-overview.ts";

const isFound = ({ id, name }: BeanNode): boolean => {
  const text = overview.find.value.trim().toLowerCase();
  return text !== "" && `${id} ${name}`.toLowerCase().includes(text);
};

/** Counts, the switch, Live, and the search for a bean. */
export function FolderTools(): JSX.Element {
  const { folders, hasFolders, wanted, isLive, isDrawn, heat, find, opened } = overview;
  const grouping = isDrawn.value ? "All beans" : hasFolders.value ? wanted.value : "Stereotype";
  const open = (): void => {
    const hit = folders.value.folders.find(({ beans }) => beans.some(isFound));
    if (!hit) return;
    if (!opened.value.has(hit.name)) overview.toggle(hit.name);
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(".folder-bean[data-found], .graph [data-found] .handle")?.focus(),
    );
  };
  return (
    <div class="zone-head">
      <h2>{count(application.live.value.nodes.length, "bean")}</h2>
      <span class="muted">in {count(folders.value.folders.length, "group")}</span>
      <Choice
        label="Groups"
        names={[...(hasFolders.value ? (["Folder"] as const) : []), "Stereotype", "All beans"]}
        value={grouping}
        onChange={(name) => {
          if (name === "All beans") return overview.showGraph();
          wanted.value = name;
          if (isDrawn.value) isLive.value = false;
        }}
      />
      <button
        type="button"
        class="quiet"
        aria-pressed={isLive.value}
        title="A heat map of the last minute"
        onClick={() => (isLive.value = !isLive.value)}
      >
        Live
      </button>
      {isLive.value && (
        <Choice label="Heat" names={heats} value={heat.value} onChange={(name) => (heat.value = name)} />
      )}
      <span class="grow" />
      <input
        id="find"
        type="search"
        aria-label="Find bean"
        placeholder="Find bean  /"
        value={find.value}
        onInput={(event) => (find.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") open();
          if (event.key === "Escape") find.value = "";
        }}
      />
    </div>
  );
}

/** The groups and their lines. */
export function FolderMap(): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const lit = useSignal("");
  const { folders, edges } = overview.folders.value;
  const at = placing(folders, edges, overview.opened.value, useSize(box).value.width);
  const used = stereotypes.filter((one) => folders.some(({ counts }) => counts.has(one)));
  const light = (event: Event): void => {
    const over = event.target instanceof Element ? event.target.closest("[data-folder]") : null;
    lit.value = over?.getAttribute("data-folder") ?? "";
  };
  const { isLive, heats: hot } = overview;
  return (
    <div class="folder-map" data-wide={at.isWide ? "" : undefined} onMouseOver={light} onFocusIn={light}>
      {isLive.value && hot.value.size === 0 && <NoHeat />}
      <div class="folder-heads" aria-hidden="true">
        {at.heads.map(({ column, x, width }) => (
          <div key={column} style={{ left: `${x}px`, width: `${width}px` }}>
            <span>{heads[column]}</span>
            {column === "feature" && ["Rate /s", "p95", "Errors"].map((name) => <span key={name}>{name}</span>)}
          </div>
        ))}
      </div>
      <div ref={box} class="folders" style={{ height: `${at.height + 16}px` }}>
        <svg aria-hidden="true">
          {at.lines.map(({ from, to, count: n, d }) => (
            <path
              key={`${from} ${to}`}
              d={d}
              stroke-width={Math.min(4, 1 + Math.log2(n) / 2)}
              data-lit={lit.value === from || lit.value === to ? "" : undefined}
            />
          ))}
        </svg>
        {folders.map((folder) => (
          <Folder key={folder.name} folder={folder} at={at.places.get(folder.name)} used={used} />
        ))}
      </div>
    </div>
  );
}

/** Said by Live without a call. */
export const NoHeat = (): JSX.Element => <p class="hint">No bean was called in the last minute.</p>;

const heads = { feature: "Features, busiest first", shared: "Shared", base: "Used by all" };

function Folder(props: {
  readonly folder: BeanFolder;
  readonly at: FolderPlace | undefined;
  /** The stereotypes that occur. */
  readonly used: readonly Stereotype[];
}): JSX.Element | null {
  const { folder, at, used } = props;
  const { name, column, beans, counts, routes } = folder;
  if (!at) return null;
  const isOpen = overview.opened.value.has(name);
  const { now, kept } = overview.traffic.value;
  const sizes = `${count(beans.length, "bean")}${routes > 0 ? `, ${count(routes, "route")}` : ""}`;
  return (
    <section
      class="folder"
      aria-label={name}
      data-folder={name}
      data-column={column}
      data-found={beans.some(isFound) ? "" : undefined}
      data-heat={overview.groupHeats.value.get(name)?.level}
      style={{ left: `${at.x}px`, top: `${at.y}px`, width: `${at.width}px`, height: `${at.height}px` }}
    >
      <Stripe folder={folder} />
      <button type="button" class="folder-head" aria-expanded={isOpen} onClick={() => overview.toggle(name)}>
        <Icon name="forward" />
        <span class="folder-name">
          <b>{name}</b>
          <small>{sizes}</small>
        </span>
        <span class="folder-counts">
          {used.map((one) => (
            <span key={one} data-stereotype={one} title={one}>
              {counts.has(one) && (
                <>
                  <i>
                    <Icon name={one} />
                  </i>
                  {counts.get(one)}
                </>
              )}
            </span>
          ))}
        </span>
        <Numbers now={now.get(name)} kept={kept.get(name)} />
      </button>
      {isOpen && (
        <ul>
          {beans.map((bean) => (
            <li key={bean.id}>
              <FolderBean bean={bean}>
                <Numbers now={overview.beans.value.get(bean.id)} kept={undefined} />
              </FolderBean>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function FolderBean({
  bean,
  children,
}: {
  readonly bean: BeanNode;
  readonly children: ComponentChildren;
}): JSX.Element {
  const hot = overview.heats.value.get(bean.id);
  return (
    <button
      type="button"
      class="folder-bean"
      data-heat={hot?.level}
      data-found={isFound(bean) ? "" : undefined}
      data-start-bean={bean.id}
      title={hot ? "Open its slowest run" : "Show in the graph"}
      onClick={() => (hot ? overview.inspectSlowest : overview.showBean)(bean.id)}
    >
      <span data-stereotype={bean.stereotype}>
        <i>
          <Icon name={bean.stereotype} />
        </i>
      </span>
      <span class="folder-name">{bean.name}</span>
      {children}
    </button>
  );
}

/** Rate, p95 and errors of the last minute. Without calls in it, the p95 of the kept runs. */
function Numbers({
  now,
  kept,
}: {
  readonly now: Traffic | undefined;
  readonly kept: Traffic | undefined;
}): JSX.Element {
  const shown = now ?? kept;
  const errors = now?.errors ?? 0;
  return (
    <span class="folder-numbers">
      <span>
        {rate((now?.count ?? 0) / lastMinute.seconds())}
        <i class="unit">/s</i>
      </span>
      <span class={now ? undefined : "muted"} title={now ? "p95, exact to 3 %" : "p95 of the kept runs, exact to 3 %"}>
        <i class="unit">p95</i>
        {shown ? <Quantity text={duration(shown.p95Us)} /> : "–"}
      </span>
      <span class={errors > 0 ? "bad" : "muted"} title="Errors">
        {errors}
      </span>
    </span>
  );
}

/** The share of each stereotype. */
function Stripe({ folder: { counts, beans } }: { readonly folder: BeanFolder }): JSX.Element {
  let y = 0;
  return (
    <svg class="folder-stripe" viewBox={`0 0 1 ${beans.length}`} preserveAspectRatio="none" aria-hidden="true">
      {[...counts].map(([one, n]) => {
        const rect = <rect key={one} data-stereotype={one} y={y} width="1" height={n} />;
        y += n;
        return rect;
      })}
    </svg>
  );
}

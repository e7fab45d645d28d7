/**
 * The tabs of the selected run, and the content of the chosen one.
 */

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Tabs } from "../page/widgets.tsx";
import { ReplayAction } from "../replay/view.tsx";
import { RunActions } from "../runs/run-actions.tsx";
import { panels, selection } from "../store/page-store.ts";
import { detailTabs, type DetailTab } from "../store/panels.ts";
import { tabs } from "./tabs.tsx";

/** At and below this width, editor and detail are below each other. */
const STACKED = 1020;

/** The tabs without those that the place shows elsewhere; in place of such a one, the first is open. */
export function Detail({ without = [] }: { readonly without?: readonly DetailTab[] }): JSX.Element {
  const shown = detailTabs.filter((id) => tabs[id].isShown?.() !== false && !without.includes(id));
  const tab = without.includes(panels.detail.value) ? (shown[0] ?? "why") : panels.detail.value;
  const section = useRef<HTMLElement>(null);
  const sent = selection.exchangeId.value;
  useLayoutEffect(() => {
    const [detail, work] = [section.current, section.current?.parentElement];
    if (sent === null || innerWidth > STACKED || !detail || !work) return;
    work.scrollTop += detail.getBoundingClientRect().top - work.getBoundingClientRect().top;
  }, [sent]);
  return (
    <section class="detail" aria-label="Run" ref={section}>
      <h2 class="sr">Run</h2>
      <Tabs
        label="Run"
        value={tab}
        onChange={(value) => {
          panels.detail.value = value;
        }}
        items={shown.map((id) => ({ id, label: tabs[id].label, extra: tabs[id].extra?.() }))}
      >
        <RunActions>
          <ReplayAction />
        </RunActions>
      </Tabs>
      <div class="detail-body" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tabs[tab].view()}
      </div>
    </section>
  );
}

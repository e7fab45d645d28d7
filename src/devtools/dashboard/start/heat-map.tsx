/**
 * Live: every bean as a tile, as hot as its rate, its p95 or its errors in the last minute. A click opens its slowest run.
 */

import type { JSX } from "preact";
import { duration, rate } from "../../run/format.ts";
import type { Traffic } from "../../run/overview/minute.ts";
import { Icon } from "../page/icons.tsx";
import { heatLevel } from "./overview.ts";
import { lastMinute, overview } from "./page-overview.ts";

const VALUES = {
  Rate: ({ count }: Traffic): number => count,
  p95: ({ p95Us }: Traffic): number => p95Us,
  Errors: ({ errors }: Traffic): number => errors,
};

/** The tiles, in their groups. Their places stay while they change. */
export function HeatMap(): JSX.Element {
  const traffic = overview.beans.value;
  const valueOf = VALUES[overview.heat.value];
  const most = Math.max(0, ...[...traffic.values()].map(valueOf));
  const seconds = lastMinute.seconds();
  const groups = overview.folders.value.folders.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return (
    <div class="heat">
      {traffic.size === 0 && <p class="hint">No bean was called in the last minute. Send requests to see the heat.</p>}
      {groups.map(({ name, beans }) => (
        <section key={name} aria-label={name}>
          <h3>{name}</h3>
          <ul>
            {beans.map((bean) => {
              const now = traffic.get(bean.id);
              return (
                <li key={bean.id}>
                  <button
                    type="button"
                    class="heat-tile"
                    data-heat={now ? heatLevel(valueOf(now), most) : 0}
                    data-start-bean={bean.id}
                    disabled={!now}
                    title={bean.name}
                    onClick={() => overview.inspectSlowest([bean.id])}
                  >
                    <span data-stereotype={bean.stereotype}>
                      <i>
                        <Icon name={bean.stereotype} />
                      </i>
                      <b>{bean.name}</b>
                    </span>
                    <small>{now ? wordsOf(now, seconds) : "–"}</small>
                  </button>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </div>
  );
}

function wordsOf({ count, p95Us, errors }: Traffic, seconds: number): string {
  const words = `${rate(count / seconds)}/s · ${duration(p95Us)}`;
  return errors > 0 ? `${words} · ${errors} failed` : words;
}

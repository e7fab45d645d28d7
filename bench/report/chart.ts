/**
 * Charts: horizontal bars of ratios to bare node:http, as SVG that reads in light and in dark.
 *
 *   GET /hello   ours     ████████████████████ 0.98
 *                fastify  ██████████████████ 0.93      │ 1.00 = bare
 */
import type { Judged } from "../evaluate.ts";
import type { Result } from "./result.ts";
import { againstBare } from "./table.ts";

const wide = 1000;
const left = 510;
const barHeight = 16;
const gap = 3;
const full = 1.1;
const perUnit = (wide - left - 60) / full;
/** Where 1.00 is. */
const one = left + perUnit;
const figureWide = 30;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The rows that are ratios to bare, ours beside the peers. */
export function ratioChart({ node, rows }: Result): string {
  const parts: string[] = [];
  let y = 34;
  for (const row of againstBare(rows)) {
    parts.push(`<text class="head" x="12" y="${y + 12}">${escaped(row.title)}</text>`);
    for (const [name, value, kind] of barsOf(row)) {
      parts.push(barOf(name, value, kind, y));
      y += barHeight + gap;
    }
    y += 12;
  }
  const height = y + 8;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${height}" width="${wide}" height="${height}" role="img" ` +
    `aria-label="CPU per request of bare node:http divided by each framework's, on Node ${node}">` +
    `<style>${style}</style><text class="title" x="12" y="20">Of bare node:http, Node ${node} (longer is better)</text>` +
    `<line class="one" x1="${one.toFixed(1)}" y1="28" x2="${one.toFixed(1)}" y2="${height - 8}"/>${parts.join("")}</svg>\n`
  );
}

const style =
  "text{font:12px system-ui,sans-serif;fill:#57606a}.head{fill:#24292f}.title{font-weight:600;fill:#24292f}" +
  ".ours{fill:#2f6fde}.hand{fill:#8aa9dd}.peer{fill:#b4bac2}.one{stroke:#8c959f;stroke-dasharray:3 3}" +
  "@media(prefers-color-scheme:dark){text{fill:#9198a1}.head,.title{fill:#e6edf3}.ours{fill:#4c8dff}.hand{fill:#385a94}.peer{fill:#4b535d}}";

type Kind = "ours" | "hand" | "peer";

function barsOf({ ours, hand, peers }: Judged): readonly (readonly [string, number, Kind])[] {
  return [
    ["ours", ours.median, "ours"],
    ...(hand === undefined ? [] : [["by hand", hand.median, "hand"] as const]),
    ...Object.entries(peers)
      .toSorted(([, a], [, b]) => b.median - a.median)
      .map(([name, cell]) => [name, cell.median, "peer"] as const),
  ];
}

function barOf(name: string, value: number, kind: Kind, y: number): string {
  const length = Math.max(1, perUnit * Math.min(value, full));
  const end = left + length + 6;
  const figureAt = end < one + 6 && end + figureWide > one ? one + 6 : end; // Beside the line, not on it.
  return (
    `<text x="${left - 8}" y="${y + 12}" text-anchor="end">${escaped(name)}</text>` +
    `<rect class="${kind}" x="${left}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>` +
    `<text x="${figureAt.toFixed(1)}" y="${y + 12}">${value.toFixed(2)}</text>`
  );
}

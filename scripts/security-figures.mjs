/**
 * Writes the figures of one run of the stress verbs into the table of SECURITY.md.
 *
 *   make fuzz faults slow soak ──▶ .build/reports/<verb>-node<major>.json ──▶ cells of the rows that say `make <verb>`, and the date
 *
 *   node scripts/security-figures.mjs [major]     the major version of the Node.js that ran; 20 by default
 *
 * Rows with another command stay unchanged. A row that missed its target, or with a figure that cannot be parsed, is an error;
 * then nothing is written.
 */
import { readFileSync } from "node:fs";
import { isProgram, root } from "./process.mjs";
import { writeChanged } from "./write-files.mjs";

/**
 * The source of a table row: a kind of the verb's rows (empty for all), and the numbers in its figure to add up.
 *
 * @type {Readonly<Record<string, readonly [kind: string, figure: RegExp]>>}
 */
const sources = {
  "hostile connections": ["hostile input", /^([\d,]+) connections/],
  "unhandled errors, unexpected 5xx, forged log lines": ["", /; (\d+) unhandled, (\d+) unexpected 5xx, (\d+) forged/],
  "connections in pieces, split at every byte": ["split at every byte", /^([\d,]+) connections in pieces/],
  "… with another response than the whole one": ["split at every byte", /, (\d+) with another outcome/],
  "requests cut at every byte, held open at once": ["cut at every byte", /^([\d,]+) unfinished/],
  "… connections left in the end": ["cut at every byte", /, (\d+) left in the end/],
  "framing cases (smuggling)": ["framing cases", /^(\d+) cases/],
  "… taken for a request": ["framing cases", /, (\d+) taken/],
  "clients that leave, at once or in the middle": ["disconnects", /^([\d,]+) left/],
  "… without a log line, and connections or streams left": [
    "disconnects",
    /(\d+) without a log line, (\d+) connections and (\d+) streams left/,
  ],
  "attempts to reach a handler round a prefix": ["prefix bypasses", /^([\d,]+) attempts/],
  "… that reached it": ["prefix bypasses", /, (\d+) reached/],
  "attempts to leave a served folder": ["paths out of a folder", /^([\d,]+) attempts/],
  "… that read anything outside": ["paths out of a folder", /, (\d+) read/],
  "forged sessions": ["forged sessions", /^([\d,]+) forged/],
  "… taken": ["forged sessions", /: (\d+) taken/],
  "injections into headers, events and log lines": ["injections", /^([\d,]+) attempts/],
  "… that made a line": ["injections", /, (\d+) header or event lines made/],
  "cross-origin reads of devtools": ["cross-origin reads", /^([\d,]+) attempts/],
  "… that read anything": ["cross-origin reads", /, (\d+) read/],
  "cells of parts that fail in five ways, and do no harm": ["", /$/],
  "slow heads, bodies, uploads and readers at once": [
    "slow attacks",
    /([\d,]+) slow heads, ([\d,]+) slow bodies, ([\d,]+) slow uploads, ([\d,]+) slow readers/,
  ],
  "… cut late, or left": [
    "slow attacks",
    /: (\d+) \+ (\d+) \+ (\d+) \+ (\d+) \+ (\d+) \+ (\d+) cut late.* (\d+) connections left/,
  ],
  "requests in flight before SIGTERM": ["stop under load", /^([\d,]+) requests before SIGTERM/],
  "… that failed": ["stop under load", /, (\d+) failed in flight/],
  "streams opened and left": ["reconnects", /^([\d,]+) streams opened/],
  "… streams and connections left in the end": ["reconnects", /: (\d+) streams and (\d+) connections left/],
  "starts of a check that hangs, asked for at once": ["health storm", /started (\d+) time/],
  "requests of the long run": ["nothing lost", /^([\d,]+) sent/],
  "… that an observer missed, mixed up or got wrong": [
    "nothing lost",
    /; (\d+) observers saw others, (\d+) misattributed, (\d+) wrong/,
  ],
};

/** @typedef {{ readonly date: string, readonly node: string, readonly cores: number, readonly rows: readonly { name: string, figure: string, met: boolean, seed: number }[] }} Report */

const cellsOf = (/** @type {string} */ line) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
const grouped = (/** @type {number} */ value) => value.toLocaleString("en-GB");

/**
 * The sum of a report's figures of that kind and wire. A dash if there are none. @param {Report} report @param {string} label
 * @param {string} wire
 */
function cell({ rows }, label, wire) {
  const [kind, figure] = sources[label] ?? fail(`no figure is called ${label}`);
  const held = rows.flatMap((row) =>
    row.figure.startsWith("cells that hold:") ? (row.figure.match(`(\\d+) on ${wire}(?=,|\\s*$)`)?.[1] ?? []) : [],
  );
  if (held.length > 0) return grouped(held.reduce((sum, count) => sum + Number(count), 0));
  const isMeant = (/** @type {{ name: string }} */ { name }) =>
    kind === ""
      ? name.endsWith(` on ${wire}`)
      : name === `${kind} on ${wire}` || (name === kind && wire === "HTTP/1.1");
  const meant = rows.filter(isMeant);
  if (meant.length === 0) return "–";
  const numbers = meant.flatMap((row) => {
    const [, ...found] = figure.exec(row.figure) ?? fail(`${row.name} says nothing of ${label}: ${row.figure}`);
    return found.map((text) => Number(text.replaceAll(",", "")));
  });
  return grouped(numbers.reduce((sum, number) => sum + number, 0));
}

/** The document with the figures of these reports, by verb. @param {string} text @param {Readonly<Record<string, Report>>} reports */
export function withFigures(text, reports) {
  const short = Object.values(reports).flatMap(({ rows }) => rows.filter(({ met }) => !met));
  if (short.length > 0) fail(`short of their targets: ${short.map(({ name }) => name).join(", ")}`);
  const lines = text.split("\n");
  const head = lines.findIndex((line) => /^\| Figure .*\| Printed by \|$/.test(line));
  const wires = cellsOf(lines[head] ?? fail("SECURITY.md has no table of figures")).slice(1, -1);
  const dates = Object.entries(reports).map(
    ([verb, { date, node, cores, rows }]) =>
      `\`make ${verb}\` on ${date.slice(0, 10)} (Node ${node}, ${cores} cores, seed ${rows[0]?.seed})`,
  );
  return lines
    .map((line, at) => {
      if (line.startsWith("Measured: ")) return `Measured: ${dates.join(", ")}.`;
      const [label = "", ...cells] = at > head + 1 && line.startsWith("| ") ? cellsOf(line) : [];
      const report = reports[/^`make (\w+)`$/.exec(cells.at(-1) ?? "")?.[1] ?? ""];
      if (report === undefined) return line;
      const found = wires.map((wire) => cell(report, label, wire.replaceAll("`", "")));
      return `| ${[label, ...found, cells.at(-1)].join(" | ")} |`;
    })
    .join("\n");
}

/** @param {string} reason @returns {never} */
function fail(reason) {
  throw new Error(reason);
}

if (isProgram(import.meta)) {
  const major = process.argv[2] ?? "20";
  const read = (/** @type {string} */ verb) =>
    JSON.parse(readFileSync(`${root}.build/reports/${verb}-node${major}.json`, "utf8"));
  const reports = Object.fromEntries(["fuzz", "faults", "slow", "soak"].map((verb) => [verb, read(verb)]));
  writeChanged(`${root}SECURITY.md`, withFigures(readFileSync(`${root}SECURITY.md`, "utf8"), reports));
}

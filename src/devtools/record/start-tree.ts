/**
 * Start tree: a failed start as text for the terminal.
 *
 *   devtools: the start failed after 12.4 ms at OrderService → OrderRepository
 *     ✓ Clock                 0.1 ms
 *     ✗ OrderService         12.1 ms
 *       ✗ OrderRepository    11.8 ms  Error: connect ECONNREFUSED
 *     · not made: Mailer, Catalog
 *
 * Spec: spec/history.md
 */
import type { BeanStart, HookStart, StartError, StartUp } from "../run/shapes.ts";

/** Names of beans that were not made, before "and n more". */
const maxNames = 12;

/** The start in lines, each with its end. Control characters are escaped, so that a message can never forge a line. */
export function startTree(start: StartUp): string {
  const { beans, hooks, chain, notBuilt, durationUs, error } = start;
  const at = chain.length === 0 ? "" : ` at ${chain.join(" → ")}`;
  const rows = [...beansBelow(null, beans, 0, new Set()), ...hooks.map(hookRow)];
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const lines = [
    `devtools: the start failed${durationUs === null ? "" : ` after ${time(durationUs)}`}${at}`,
    ...rows.map((row) => lineOf(row, width)),
    ...(error !== null && rows.every((row) => row.error === null) ? [`  ${sentence(error)}`] : []),
    ...(notBuilt.length === 0 ? [] : [`  · not made: ${named(notBuilt)}`]),
  ];
  return `${lines.map(printable).join("\n")}\n`;
}

interface Row {
  /** Indented. */
  readonly name: string;
  readonly durationUs: number | null;
  readonly error: StartError | null;
  /** Whether nothing below it failed, so that the error came from here. */
  readonly isOrigin: boolean;
}

function beansBelow(parent: string | null, beans: readonly BeanStart[], depth: number, seen: Set<BeanStart>): Row[] {
  return beans
    .filter((bean) => bean.parent === parent && !seen.has(bean))
    .flatMap((bean) => {
      seen.add(bean);
      const { bean: id, durationUs, error } = bean;
      const below = beansBelow(id, beans, depth + 1, seen);
      const isOrigin = below.every((row) => row.error === null);
      return [{ name: `${"  ".repeat(depth)}${mark(bean)} ${id}`, durationUs, error, isOrigin }, ...below];
    });
}

const hookRow = (hook: HookStart): Row => ({
  name: `${mark(hook)} onStart ${hook.name === "" ? "(a function without a name)" : hook.name}`,
  durationUs: hook.durationUs,
  error: hook.error,
  isOrigin: true,
});

const mark = ({ error, durationUs }: { error: StartError | null; durationUs: number | null }): string =>
  error !== null ? "✗" : durationUs === null ? "…" : "✓";

function lineOf({ name, durationUs, error, isOrigin }: Row, width: number): string {
  const took = durationUs === null ? "" : `  ${time(durationUs).padStart(9)}`;
  return `  ${name.padEnd(width)}${took}${error !== null && isOrigin ? `  ${sentence(error)}` : ""}`.trimEnd();
}

const sentence = ({ name, message }: StartError): string => `${name}: ${message}`;

const time = (us: number): string => `${(us / 1_000).toFixed(1)} ms`;

const named = (ids: readonly string[]): string =>
  ids.length <= maxNames ? ids.join(", ") : `${ids.slice(0, maxNames).join(", ")} and ${ids.length - maxNames} more`;

const printable = (line: string): string =>
  // oxlint-disable-next-line no-control-regex -- those are what a terminal obeys
  line.replace(/[\u0000-\u001f\u007f-\u009f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

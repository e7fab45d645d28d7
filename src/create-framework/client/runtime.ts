/**
 * The part of a client that its operations share: TypeScript in parts, of which a client contains those that it uses.
 *
 *   templates/client/*.ts ──▶ `// #part query` … ──▶ base, query, json
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A part, and the parts that it needs. */
const needs: Readonly<Record<string, readonly string[]>> = {
  send: ["text", "pauses"],
  segment: ["text", "encoded"],
  query: ["text", "encoded"],
  events: ["streams", "typed"],
  lines: ["streams"],
  socket: ["pauses"],
};

/** The text of all parts. @param ownFolder the folder of this program's package */
export const readRuntime = (ownFolder: string): string =>
  ["runtime.ts", "streams.ts", "sockets.ts"]
    .map((name) => readFileSync(join(ownFolder, "templates", "client", name), "utf8"))
    .join("");

/** The parts of that name, with the parts that they need, in the order of the text. */
export function partsOf(runtime: string, names: readonly string[]): string {
  const used = new Set(["base", ...names.flatMap((name) => [name, ...(needs[name] ?? [])])]);
  return runtime
    .split(/^\/\/ #part /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)] as const)
    .filter(([name]) => used.has(name))
    .map(([, body]) => body)
    .join("");
}

/**
 * `framework client`: writes the client of a document, or checks in CI whether the files on disk are current.
 *
 *   document ──▶ texts ──▶ --out, --tanstack, --msw: written where they differ · --check: exit code 1 where one differs
 *
 * It never overwrites a file that it did not write.
 */
import { basename, dirname, relative, resolve } from "node:path";
import { readDocument } from "../document/read.ts";
import type { Json } from "../document/json.ts";
import { DocumentError, UsageError } from "../errors.ts";
import { readIfThere, replaceFile } from "../files.ts";
import { tanStackFor } from "./installed.ts";
import { writeMsw } from "./msw.ts";
import { readRuntime } from "./runtime.ts";
import { writeTanStack } from "./tanstack.ts";
import { writeClient } from "./write.ts";

/** The options of the command. */
export interface ClientCommand {
  /** URL or path of the document. */
  readonly url: string;
  /** Path of the client. */
  readonly out: string;
  /** Path of the options of TanStack Query, if they are wanted. */
  readonly tanstack?: string | undefined;
  /** Path of the handlers of Mock Service Worker, if they are wanted. */
  readonly msw?: string | undefined;
  readonly isCheck: boolean;
  /** The base folder of relative paths. */
  readonly folder: string;
  /** The folder of this program's package, which contains `templates/`. */
  readonly ownFolder: string;
}

/**
 * Writes or checks. Returns the message on success. @throws UsageError if the check fails, DocumentError if there is no document
 */
export async function runClient(command: ClientCommand): Promise<string> {
  const { url, folder } = command;
  const { files, operations, leftOut } = filesOf(await readDocument(url, folder), command);
  const before = files.map(({ path }) => readIfThere(resolve(folder, path))?.replaceAll("\r\n", "\n"));
  const differing = files.filter(({ text }, at) => text !== before[at]);
  const [first] = differing;
  if (command.isCheck && first !== undefined) {
    const isThere = before[files.indexOf(first)] !== undefined;
    throw new UsageError(
      `${first.path} is ${isThere ? "not the client of that document" : "not there"}: write it without --check`,
    );
  }
  const foreign = differing.find(
    ({ path }) => before[fileAt(files, path)]?.includes("Written by `framework client`") === false,
  );
  if (foreign !== undefined)
    throw new DocumentError(
      `${foreign.path} is there already, and framework client did not write it: choose another name`,
    );
  for (const { path, text } of differing) replaceFile(resolve(folder, path), text);
  const others = differing.slice(first === files[0] ? 1 : 0).map(({ path }) => `Wrote ${path}\n`);
  const said = first === files[0] ? `Wrote ${command.out}` : `${command.out} is the client of ${url}`;
  return `${said}: ${operations} operations\n${others.join("")}${leftOut.map((line) => `  ${line}\n`).join("")}`;
}

/** A file to write. */
interface OutputFile {
  readonly path: string;
  readonly text: string;
}

const fileAt = (files: readonly OutputFile[], path: string): number => files.findIndex((one) => one.path === path);

function filesOf(
  document: Json,
  { out, tanstack, msw, folder, ownFolder }: ClientCommand,
): { readonly files: readonly OutputFile[]; readonly operations: number; readonly leftOut: readonly string[] } {
  const { text, operations, calls, leftOut } = writeClient(document, readRuntime(ownFolder));
  const files = [{ path: out, text }];
  const notes = [...leftOut];
  if (tanstack !== undefined) {
    const file = resolve(folder, tanstack);
    const written = writeTanStack(calls, importOf(file, resolve(folder, out)), tanStackFor(file));
    files.push({ path: tanstack, text: written.text });
    notes.push(...written.leftOut);
  }
  if (msw !== undefined) files.push({ path: msw, text: writeMsw(document, calls) });
  return { files, operations, leftOut: notes };
}

/** How one file imports another. */
function importOf(from: string, to: string): string {
  const folder = relative(dirname(from), dirname(to)).replaceAll("\\", "/");
  return `${folder === "" ? "." : folder.startsWith(".") ? folder : `./${folder}`}/${basename(to)}`;
}

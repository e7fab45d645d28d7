/**
 * `framework client`: writes the client of a document, or checks in CI whether the file on disk is current.
 *
 *   document ──▶ text ──▶ --out: written where it differs · --check: exit code 1 where it differs
 *
 * It never overwrites a file that it did not write.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readDocument } from "../document/read.ts";
import { DocumentError, UsageError } from "../errors.ts";
import { readIfThere, replaceFile } from "../files.ts";
import { writeClient } from "./write.ts";

/** The options of the command. */
export interface ClientCommand {
  /** URL or path of the document. */
  readonly url: string;
  /** Path of the client. */
  readonly out: string;
  readonly isCheck: boolean;
  /** The base folder of relative paths. */
  readonly folder: string;
  /** The folder of this program's package, which contains `templates/`. */
  readonly ownFolder: string;
}

/**
 * Writes or checks. Returns the message on success. @throws UsageError if the check fails, DocumentError if there is no document
 */
export async function runClient({ url, out, isCheck, folder, ownFolder }: ClientCommand): Promise<string> {
  const document = await readDocument(url, folder);
  const runtime = readFileSync(join(ownFolder, "templates", "client", "runtime.ts"), "utf8");
  const { text, operations, leftOut } = writeClient(document, runtime);
  const file = resolve(folder, out);
  const before = readIfThere(file)?.replaceAll("\r\n", "\n");
  const notes = leftOut.map((line) => `  ${line}\n`).join("");
  const isSame = before === text;
  if (isCheck && !isSame)
    throw new UsageError(
      `${out} is ${before === undefined ? "not there" : "not the client of that document"}: write it without --check`,
    );
  if (isSame) return `${out} is the client of ${url}: ${operations} operations\n${notes}`;
  if (before !== undefined && !before.includes("Written by `framework client`"))
    throw new DocumentError(`${out} is there already, and framework client did not write it: choose another name`);
  replaceFile(file, text);
  return `Wrote ${out}: ${operations} operations\n${notes}`;
}

/**
 * `framework client`: writes the client of a document, or, for CI, says whether the file on disk still is it.
 *
 *   document ──▶ text ──▶ --out: written where it differs · --check: exit code 1 where it differs
 *
 * A file that this command did not write is never written over.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readDocument } from "../document/read.ts";
import { DocumentError, UsageError } from "../errors.ts";
import { readIfThere, replaceFile } from "../files.ts";
import { writeClient } from "./write.ts";

/** What to do. */
export interface ClientCommand {
  /** URL or path of the document. */
  readonly url: string;
  /** Path of the client. */
  readonly out: string;
  readonly isCheck: boolean;
  /** What relative paths start from. */
  readonly folder: string;
  /** The folder of this program's package: it has `templates/` in it. */
  readonly ownFolder: string;
}

/** Writes or checks; what it says on success. @throws UsageError where the check fails, DocumentError where there is none */
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

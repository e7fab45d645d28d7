/**
 * `framework openapi`: writes the document of the project's app, and compares it with an earlier one.
 *
 *   app (or --url) ──▶ document ──▶ --check base.json: does anything break? exit code 1 with the list
 *                                └─▶ --out openapi.json: written · neither: printed
 */
import { resolve } from "node:path";
import { documentOf, readDocument } from "../document/read.ts";
import { DifferenceError, DocumentError } from "../errors.ts";
import { readIfThere, replaceFile } from "../files.ts";
import { documentOfApp } from "./app.ts";
import { compareDocuments, type Comparison } from "./compare.ts";

/** The options of the command. */
export interface OpenApiCommand {
  readonly out: string | undefined;
  /** Path or URL of the document to compare with. */
  readonly check: string | undefined;
  /** URL or path of a document, instead of the app's. */
  readonly url: string | undefined;
  /** The file that exports the app. */
  readonly app: string;
  /** The path of the app's document. */
  readonly path: string;
  /** The base folder of relative paths. */
  readonly folder: string;
}

/**
 * The message on success. @throws DifferenceError with the list if something breaks, DocumentError if no comparison is possible
 */
export async function runOpenApi(command: OpenApiCommand): Promise<string> {
  const { out, check, url, folder } = command;
  const base = check === undefined ? undefined : await readDocument(check, folder);
  const document = url === undefined ? await documentOfApp(command) : await readDocument(url, folder);
  const text = `${JSON.stringify(document, undefined, 2)}\n`;
  if (base === undefined && out === undefined) return text;
  const checked = base === undefined ? "" : verdict(check ?? "", compareDocuments(base, document));
  return checked + (out === undefined ? "" : written(out, folder, text));
}

function verdict(check: string, { breaking, compatible }: Comparison): string {
  const others = `${compatible} compatible ${compatible === 1 ? "difference" : "differences"}`;
  if (breaking.length === 0) return `Nothing breaks for clients of ${check}; ${others}\n`;
  const count = `${breaking.length} breaking ${breaking.length === 1 ? "difference" : "differences"}`;
  throw new DifferenceError(`${count} to ${check}, ${others}:`, breaking);
}

function written(out: string, folder: string, text: string): string {
  const file = resolve(folder, out);
  const before = readIfThere(file);
  if (before === text) return `${out} is the document of the app\n`;
  if (before !== undefined) rejectOther(out, before);
  replaceFile(file, text);
  return `Wrote ${out}\n`;
}

/** An existing file must be a document, or it is not overwritten. */
function rejectOther(out: string, before: string): void {
  try {
    documentOf(out, before);
  } catch (error) {
    throw new DocumentError(`${out} is there already, and is no OpenAPI document: choose another name`, {
      cause: error,
    });
  }
}

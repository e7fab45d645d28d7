/**
 * Files that are dropped on the page, which are opened like those of the button Load.
 *
 *   dragover with files ──▶ the page says that it takes them ──▶ drop ──▶ openRun, one file after the other
 *
 * A file that is dropped on a field for files belongs to that field.
 */

import type { Use } from "../store/slice.ts";
import { filesSlice } from "./files.ts";

const isField = ({ target }: Event): boolean => target instanceof Element && target.closest("input, textarea") !== null;
const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") === true;

/** Takes files until the returned function is called. */
export function takeDroppedFiles(use: Use): () => void {
  const { openRun } = use(filesSlice);
  const root = document.documentElement;
  const leave = (): void => root.classList.remove("takes-files");
  const over = (event: DragEvent): void => {
    if (!hasFiles(event) || isField(event)) return leave();
    event.preventDefault();
    root.classList.add("takes-files");
  };
  const drop = async (event: DragEvent): Promise<void> => {
    leave();
    if (!hasFiles(event) || isField(event)) return;
    event.preventDefault();
    for (const file of event.dataTransfer?.files ?? []) await openRun(file);
  };
  const listeners = {
    dragover: over,
    dragleave: (event: DragEvent) => void (event.relatedTarget === null && leave()),
    drop: (event: DragEvent) => void drop(event),
  };
  for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name as "drop", listener);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name as "drop", listener);
  };
}

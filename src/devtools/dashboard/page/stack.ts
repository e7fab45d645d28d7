/**
 * Stacks for a reader: the application's own frames one by one, runs of others folded, and the address that
 * opens a line in an editor. Pure.
 */

import type { StackFrame } from "../../run/shapes.ts";

/** Consecutive frames: one of the application's own, or any number of others. */
export interface FrameGroup {
  readonly own: boolean;
  readonly frames: readonly StackFrame[];
}

/** The frames in their order, those of Node and of packages together. */
export function frameGroups(frames: readonly StackFrame[]): FrameGroup[] {
  return frames.reduce<FrameGroup[]>((groups, frame) => {
    const last = groups.at(-1);
    if (frame.own || !last || last.own) return [...groups, { own: frame.own, frames: [frame] }];
    return [...groups.slice(0, -1), { own: false, frames: [...last.frames, frame] }];
  }, []);
}

/** The settings of the editor. */
export interface EditorSettings {
  /** Contains `{file}`, `{line}` and `{column}`. */
  readonly template: string;
  /** The folder that relative files are below. */
  readonly root: string;
}

/** The settings that the server wrote into the page, or undefined if links are off. */
export function editorSettings({ editor, root }: DOMStringMap): EditorSettings | undefined {
  return editor === undefined || root === undefined ? undefined : { template: editor, root };
}

/** The address that opens a line in the editor, or undefined for a frame outside of files. */
export function editorLink(
  settings: EditorSettings | undefined,
  { file, line, column = 1 }: { readonly file: string; readonly line: number; readonly column?: number },
): string | undefined {
  if (!settings || !file || file.startsWith("<") || /^[a-z][a-z0-9+.-]+:/i.test(file)) return undefined;
  const isWhole = file.startsWith("/") || /^[a-z]:[\\/]/i.test(file);
  const path = (isWhole ? file : `${settings.root}/${file}`).replaceAll("\\", "/");
  const shown = path
    .split("/")
    .map(encodeURIComponent)
    .join("/")
    .replace(/^([A-Za-z])%3A/, "$1:");
  // A function, so that a `$` in the path is not a pattern.
  return settings.template
    .replace("/{file}", () => (shown.startsWith("/") ? shown : `/${shown}`))
    .replace("{file}", () => shown)
    .replace("{line}", String(line))
    .replace("{column}", String(column));
}

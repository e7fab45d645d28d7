/**
 * stack: frames in groups, and addresses of editors.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StackFrame } from "../../run/shapes.ts";
import { editorLink, editorSettings, frameGroups } from "./stack.ts";

const frame = (name: string, own: boolean): StackFrame => ({ name, file: "a.ts", line: 1, column: 2, own });

describe("frameGroups", () => {
  test("keeps the order, own frames alone and others together", () => {
    const frames = [frame("lib", false), frame("a", true), frame("b", true), frame("x", false), frame("y", false)];
    assert.deepEqual(
      frameGroups(frames).map((group) => [group.own, group.frames.map(({ name }) => name).join(" ")]),
      [
        [false, "lib"],
        [true, "a"],
        [true, "b"],
        [false, "x y"],
      ],
    );
  });
});

describe("editorLink", () => {
  const to = (template: string, file: string, root = "/home/ada"): string | undefined =>
    editorLink({ template, root }, { file, line: 12, column: 7 });
  const code = "vscode://file/{file}:{line}:{column}";

  const links: Readonly<Record<string, readonly [got: string | undefined, wanted: string | undefined]>> = {
    "a file below the root": [to(code, "src/a b#$&.ts"), "vscode://file/home/ada/src/a%20b%23%24%26.ts:12:7"],
    "a file elsewhere": [to(code, "/opt/x.ts"), "vscode://file/opt/x.ts:12:7"],
    "a file of Windows": [to(code, "src\\a.ts", "C:\\work"), "vscode://file/C:/work/src/a.ts:12:7"],
    "a parameter": [to("idea://open?file={file}&line={line}", "a.ts"), "idea://open?file=/home/ada/a.ts&line=12"],
    "a module of Node": [to(code, "node:fs"), undefined],
    "no file": [to(code, "<anonymous>"), undefined],
    "links that are off": [editorLink(editorSettings({ root: "/x" }), { file: "a.ts", line: 1 }), undefined],
  };
  for (const [what, [got, wanted]] of Object.entries(links))
    test(`DASH-051: leads to ${what}`, () => {
      assert.equal(got, wanted);
    });
});

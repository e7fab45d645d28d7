/**
 * treeMove: the keys of a tree with rows that only close a bracket.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { treeMove } from "./tree-moves.ts";
import { jsonRows } from "./rows.ts";

// 0 {   1 "a": {   2 "b": 1   3 }   4 "c": []   5 "d": {…}   6 }
const rows = jsonRows({ a: { b: 1 }, c: [], d: { e: 1 } }, { opened: new Set(), closed: new Set(["$.d"]) }, false);

describe("treeMove", () => {
  const cases: Record<string, [key: string, at: number, expected: unknown]> = {
    "goes down over a closing line": ["ArrowDown", 2, { to: 4 }],
    "goes up over a closing line": ["ArrowUp", 4, { to: 2 }],
    "stays at the first row": ["ArrowUp", 0, { to: 0 }],
    "stays at the last row": ["ArrowDown", 5, { to: 5 }],
    "goes home": ["Home", 4, { to: 0 }],
    "goes to the last row that is no bracket": ["End", 0, { to: 5 }],
    "opens a folded row": ["ArrowRight", 5, { toggle: 5 }],
    "goes into an open row": ["ArrowRight", 1, { to: 2 }],
    "closes an open row": ["ArrowLeft", 1, { toggle: 1 }],
    "goes to the parent of a leaf": ["ArrowLeft", 2, { to: 1 }],
    "goes to the parent of an empty array": ["ArrowLeft", 4, { to: 0 }],
    "turns a row by Enter": ["Enter", 5, { toggle: 5 }],
    "turns a row by space": [" ", 1, { toggle: 1 }],
    "leaves a leaf as it is": ["Enter", 2, { to: 2 }],
    "leaves an empty array as it is": [" ", 4, { to: 4 }],
    "has no use for another key": ["x", 1, undefined],
    "has no use for a key on no row": ["Home", 99, undefined],
  };
  for (const [title, [key, at, expected]] of Object.entries(cases))
    test(title, () => assert.deepEqual(treeMove(rows, at, key), expected));
});

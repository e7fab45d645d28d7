import { deepEqual, equal, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "../settings.ts";
import { figuresOf, withFigures } from "./readme.ts";
import { loadResults } from "./result.ts";

const readme = readFileSync(join(root, "bench", "README.md"), "utf8");

describe("withFigures", () => {
  it("replaces what stands between the markers and nothing else", () => {
    const text = withFigures(readme, "new");
    equal(text, withFigures(withFigures(readme, "something else"), "new"));
    deepEqual([text.includes("\n\nnew\n\n"), text.slice(0, 20)], [true, readme.slice(0, 20)]);
  });

  it("refuses a page without markers", () => {
    throws(() => withFigures("# bench", "figures"), /lost its markers/);
  });
});

describe("bench/README.md", () => {
  it("shows the kept results: no figure is typed by hand", () => {
    equal(readme, withFigures(readme, figuresOf(loadResults()).text));
  });

  it("has the chart of every kept result beside them", () => {
    for (const [name, svg] of figuresOf(loadResults()).charts)
      equal(readFileSync(join(root, "bench", "results", name), "utf8"), svg);
  });
});

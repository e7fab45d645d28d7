/** Importing the framework loads only its own modules (ENGINE). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

/** All modules that a module loads, directly and indirectly: those of the framework, and others. */
function loadedBy(start: URL): { readonly own: ReadonlySet<string>; readonly others: ReadonlySet<string> } {
  const own = new Set([start.href]);
  const others = new Set<string>();
  for (const href of own) {
    for (const [, specifier = ""] of readFileSync(new URL(href), "utf8").matchAll(
      /^(?:import|export)(?: [\w\s{},*$]+ from)? ["']([^"']+)["']/gm,
    ))
      if (specifier.startsWith(".")) own.add(new URL(specifier, href).href);
      else others.add(specifier);
  }
  return { own, others };
}

describe("importing the framework", () => {
  it("loads no module but its own", () => {
    const { own, others } = loadedBy(new URL("index.js", import.meta.url));
    assert.deepEqual([...others], []);
    assert.ok(own.size > 30, `${own.size} modules`);
  });
});

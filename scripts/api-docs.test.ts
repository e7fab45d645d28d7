/**
 * Compares docs/api/ with the sources, and proves that declarations are read as a compiler reads them.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";

interface Documented {
  readonly name: string;
  readonly kind: string;
  readonly doc: string;
  readonly signature: string;
  readonly members: readonly { readonly signature: string; readonly doc: string }[];
}

// The script is a plain module that needs no build, so this compiled file loads it by URL.
const root = new URL("../../", import.meta.url);
const { apiPages } = (await import(new URL("scripts/api-docs.mjs", root).href)) as {
  apiPages: () => ReadonlyMap<string, string>;
};
const framework = (await import(new URL("src/framework/dist/index.js", root).href)) as object;
const { publicNames } = (await import(new URL("scripts/docs/declarations.mjs", root).href)) as {
  publicNames: (entry: string) => readonly Documented[];
};

const folder = mkdtempSync(join(tmpdir(), "api-docs-"));
after(() => rmSync(folder, { recursive: true, force: true }));

describe("publicNames", () => {
  it("follows export lists, reads comments, and includes members of a base class that is not public", () => {
    writeFileSync(join(folder, "index.d.ts"), 'export { A, type B } from "./a.js";\nexport type * from "./c.js";\n');
    writeFileSync(
      join(folder, "a.d.ts"),
      `import { Base } from "./base.js";
/** An A. */
export declare class A extends Base {
  #private;
  private constructor();
  /** Makes one. */
  static of(text:
    string): A;
}
interface B { readonly x: number }
export { type B };
`,
    );
    writeFileSync(
      join(folder, "base.d.ts"),
      "export declare class Base { protected hidden(): void; shown(): void; }\n",
    );
    writeFileSync(join(folder, "c.d.ts"), "/** A C. */\nexport type C = string;\nexport declare const notC = 1;\n");
    const names = publicNames(join(folder, "index.d.ts")).map(({ name, kind, doc, members }) => [
      name,
      kind,
      doc,
      members.map(({ signature, doc: said }) => `${signature} ${said}`.trim()),
    ]);
    assert.deepEqual(names, [
      ["A", "class", "An A.", ["static of(text: string): A Makes one.", "shown(): void"]],
      ["B", "interface", "", ["x: number"]],
      ["C", "type", "A C.", []],
    ]);
  });

  it("rejects a name without a declaration", () => {
    writeFileSync(join(folder, "lost.d.ts"), 'export { Lost } from "./a.js";\n');
    assert.throws(() => publicNames(join(folder, "lost.d.ts")), /a\.d\.ts declares no Lost/);
  });
});

describe("docs/api", () => {
  const pages = apiPages();

  it("matches the sources: `make docs` writes it", () => {
    const read = (name: string): string => readFileSync(new URL(`docs/api/${name}`, root), "utf8");
    for (const [name, page] of pages) assert.ok(page === read(name), `docs/api/${name} is stale: run \`make docs\``);
  });

  it("has an entry for every value that the package exports", () => {
    const page = pages.get("framework.md") ?? "";
    const lost = Object.keys(framework).filter((name) => !page.includes(`\n## ${name}\n`));
    assert.deepEqual(lost, []);
  });
});

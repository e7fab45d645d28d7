/** What is in each package that would be published: only what its users need, within its size. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";

const { publishedFolder } = (await import(new URL("../../scripts/published.mjs", import.meta.url).href)) as {
  publishedFolder: (name: string) => string;
};

/** Package folder → what its tarball may weigh, and what may be in it beside package.json, README and licence. */
const packages: Readonly<Record<string, { readonly maxKb: number; readonly holds: RegExp }>> = {
  framework: { maxKb: 150, holds: /^(dist\/bundle\/.*\.js|dist\/.*\.d\.ts|spec\/\w+(\.schema)?\.json)$/ },
  devtools: { maxKb: 200, holds: /^dist\/.*\.(js|d\.ts)$/ },
  // Its tarballs of the other two are there after `make pack` only.
  "create-framework": { maxKb: 400, holds: /^(dist\/[\w-]+\.js|templates\/.*|packages\/[\w.-]+\.tgz)$/ },
};
const never = /^(?!templates\/).*(\.test\.|\.map$|tsbuildinfo|\.tsx$|\bnode_modules\b|fixtures|fake-page)/;

for (const [name, { maxKb, holds }] of Object.entries(packages))
  describe(`the package ${name}`, () => {
    const folder = publishedFolder(name);
    const text = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"], {
      cwd: folder,
      encoding: "utf8",
    });
    const [packed] = JSON.parse(text) as { size: number; files: { path: string }[] }[];
    const paths = packed?.files.map(({ path }) => path) ?? [];

    it("holds what its users need, and nothing else", () => {
      const common = ["LICENSE", "README.md", "package.json"];
      assert.deepEqual(
        common.filter((path) => !paths.includes(path)),
        [],
      );
      assert.deepEqual(
        paths.filter((path) => !common.includes(path) && (!holds.test(path) || never.test(path))),
        [],
      );
    });

    it(`weighs at most ${maxKb} kB`, () => {
      assert.ok(packed !== undefined && packed.size <= maxKb * 1_000, `${packed?.size} bytes`);
    });

    it("is an ES module that installs nothing and says that importing it does nothing", () => {
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
      assert.equal(manifest["type"], "module");
      assert.equal(manifest["dependencies"], undefined);
      if (manifest["bin"] === undefined) assert.equal(manifest["sideEffects"], false);
    });
  });

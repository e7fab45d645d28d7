/** Opening files: their place, and the bytes read (STATIC). */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { text } from "node:stream/consumers";
import { until } from "../testing/harness.testkit.ts";
import { fixture, openBelow, SECRET, type Fixture } from "./fixture.testkit.ts";
import { isStillAt, openFile, type OpenFile } from "./open-file.ts";

let files: Fixture;
before(() => {
  files = fixture();
  execFileSync("mkfifo", [join(files.root, "pipe")]);
});
after(() => files.remove());

const opened = async (name: string, root: string | undefined = files.root): Promise<OpenFile> =>
  (await openFile(join(files.root, name), root)) ?? assert.fail(`${name} is not opened`);

describe("openFile", () => {
  test("STATIC-004: opens files in the root, and none through a name that has become a link", async () => {
    for (const name of ["link.txt", "up/secret.txt", "env.txt", "pipe", "assets", "none", "bare/away.html"])
      assert.equal(await openFile(join(files.root, name), files.root), undefined, name);
    const file = await opened("inside/digits.txt");
    assert.equal(String(await file.bytes()), "0123456789");
    file.close();
    file.close();
    await until(() => openBelow(files.home).length === 0);
  });

  test("STATIC-004: opens files in any place when configured to", async () => {
    const file = await openFile(join(files.root, "up/secret.txt"), undefined);
    assert.equal(String(await file?.bytes()), SECRET);
    file?.close();
  });

  test("rejects with a fault of the system", async () => {
    await assert.rejects(openFile("a\0b", undefined), { code: "ERR_INVALID_ARG_VALUE" });
  });
});

describe("OpenFile", () => {
  test("reads the opened file, even if its name refers to another now", async () => {
    const path = join(files.root, "moving.txt");
    for (const become of [
      () => rmSync(path),
      () => renameSync(path, join(files.root, "moved.txt")),
      () => (rmSync(path), symlinkSync(join(files.home, "secret.txt"), path)),
    ]) {
      writeFileSync(path, "0123456789");
      const file = await opened("moving.txt");
      become();
      assert.equal(await file.hasChanged(), false);
      assert.equal(String(await file.bytes()), "0123456789");
      assert.equal(await text(file.stream(2, 4)), "234");
      rmSync(path, { force: true });
    }
  });

  test("notices a change of the file, and reads the current bytes", async () => {
    const path = join(files.root, "cut.txt");
    writeFileSync(path, "0123456789");
    const file = await opened("cut.txt");
    truncateSync(path, 3);
    assert.deepEqual([String(await file.bytes()), await file.hasChanged(), file.stats.size], ["012", true, 3n]);
    assert.equal(await file.hasChanged(), false);
    file.close();
  });

  test("streams an empty file", async () => {
    assert.equal(await text((await opened("assets/empty.txt")).stream(0, -1)), "");
  });
});

describe("isStillAt", () => {
  test("STATIC-004: is true only for the file that a real path leads to", async () => {
    const file = await opened("assets/digits.txt");
    const { stats } = file;
    const secret = await opened("up/secret.txt", files.home);
    const asked = [
      ["assets/digits.txt", stats],
      ["inside/digits.txt", stats],
      ["assets/noext", stats],
      ["none", stats],
      ["link.txt", secret.stats],
      ["up/secret.txt", secret.stats],
    ] as const;
    const isThere = await Promise.all(asked.map(([name, of]) => isStillAt(join(files.root, name), of)));
    assert.deepEqual(isThere, [true, false, false, false, false, false]);
    secret.close();
    file.close();
  });
});

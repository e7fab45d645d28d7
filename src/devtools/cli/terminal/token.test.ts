/**
 * The token is found where the project keeps it, and shown only to this machine.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { keptSecret } from "../../serve/token.ts";
import { TOKEN_HEADER } from "../../run/wire.ts";
import { tokenFor } from "./token.ts";

let project: string;
let kept: string;

before(() => {
  project = mkdtempSync(join(tmpdir(), "terminal-token-"));
  kept = keptSecret(project);
  mkdirSync(join(project, "src", "deep"), { recursive: true });
});
after(() => rmSync(project, { recursive: true, force: true }));

describe("tokenFor", () => {
  it("finds the file that devtools keep in the project, from a folder in it too", () => {
    assert.equal(TOKEN_HEADER, "X-Framework-Dev-Token");
    for (const folder of [project, join(project, "src", "deep")]) assert.equal(tokenFor("localhost", folder, {}), kept);
  });

  for (const host of ["localhost", "LOCALHOST", "shop.localhost", "127.0.0.1", "127.8.9.1", "[::1]"])
    it(`shows it to ${host}`, () => assert.equal(tokenFor(host, project, {}), kept));

  const others = ["example.com", "localhost.example.com", "127.0.0.1.example.com", "10.0.0.7", "[::2]", "", "0.0.0.0"];
  for (const host of [...others, "notlocalhost"])
    it(`does not show it to ${JSON.stringify(host)}`, () => assert.equal(tokenFor(host, project, {}), undefined));

  it("shows the environment's token to the named address, and prefers it to the kept one", () => {
    const env = { FRAMEWORK_DEVTOOLS_TOKEN: "a-secret-of-enough-characters" };
    for (const host of ["localhost", "10.0.0.7"])
      assert.equal(tokenFor(host, project, env), env.FRAMEWORK_DEVTOOLS_TOKEN);
    assert.equal(tokenFor("10.0.0.7", project, { FRAMEWORK_DEVTOOLS_TOKEN: "true" }), undefined);
  });

  it("accepts no file with another content", () => {
    const odd = join(project, "odd");
    mkdirSync(join(odd, ".framework"), { recursive: true });
    writeFileSync(join(odd, ".framework", "devtools-token"), "x\r\nHost: evil\r\n");
    assert.equal(tokenFor("localhost", odd, {}), kept);
  });
});

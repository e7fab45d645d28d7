/** The advice for an application that does not respond, from the history that real starts have written. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { Beans, Framework, Interface } from "framework";
import { Devtools } from "../../index.ts";
import { adviceFor } from "./last-start.ts";

const folder = mkdtempSync(join(tmpdir(), "last-start-"));
after(() => rmSync(folder, { recursive: true }));

const Database = Interface<{ url: string }>("Database");

/** Starts an application with a history in `project`, and stops it. @returns its address, or undefined if its start failed */
async function started(project: string, make: () => { url: string }): Promise<string | undefined> {
  const devtools = Devtools.create({ history: join(project, ".framework", "runs.jsonl") });
  let beans: Beans;
  try {
    beans = Beans.builder().bind(Database, make).instrument(devtools.recorder()).start();
  } catch {
    return undefined;
  }
  const app = Framework.create({ host: "127.0.0.1" }).beans(beans);
  devtools.install(app, beans);
  await app.start(0);
  const { url } = app;
  await app.stop();
  return url;
}

describe("adviceFor", () => {
  it("names the error of a failed last start, and the address of the last successful one if that is another", async (t) => {
    t.mock.method(process.stderr, "write", () => true);
    const project = join(folder, "project");
    mkdirSync(join(project, "src"), { recursive: true });
    const url = await started(project, () => ({ url: "" }));
    const listened = `it last listened at ${url}, which --url ${url} names`;
    const said = [adviceFor("http://localhost:8080", join(project, "src")), adviceFor(url ?? "", project)];
    assert.deepEqual(said, [listened, undefined]);
    await started(project, () => {
      throw new Error("no database\nat all");
    });
    const failed = "its last start failed at Database with Error: no database";
    assert.deepEqual(adviceFor(url ?? "", project), failed);
    assert.deepEqual(adviceFor("http://localhost:8080", project), `${failed}; ${listened}`);
    assert.equal(await started(project, () => ({ url: "" })).then((at) => adviceFor(at ?? "", project)), undefined);
  });

  it("knows nothing without a history, and ignores lines that are cut or are no starts", () => {
    const project = join(folder, "other");
    mkdirSync(join(project, ".framework"), { recursive: true });
    assert.equal(adviceFor("http://localhost:8080", project), undefined);
    const lines = ['{"v":1,"start":{"error":', '{"v":1,"start":null}', '{"v":1,"start":{"error":null},"at":8080}', "x"];
    writeFileSync(join(project, ".framework", "runs.jsonl"), lines.join("\n"));
    assert.equal(adviceFor("http://localhost:8080", project), undefined);
  });
});

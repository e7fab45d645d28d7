/** Sessions and cookies over sockets, with the jars of real clients: curl and fetch (SESSION, COOKIE). */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { created } from "../testing/harness.testkit.ts";
import { MemorySessionStore, SessionMiddleware, sessionOf } from "./index.ts";

const run = promisify(execFile);
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe("a client with a cookie jar", () => {
  const store = new MemorySessionStore();
  const { app } = created();
  app
    .use(new SessionMiddleware({ store }))
    .get("/visits", (ctx) => {
      const session = sessionOf(ctx);
      const visits = Number(session.get("visits") ?? 0) + 1;
      session.set("visits", visits);
      ctx.setCookie("last", `${visits} é`, { maxAge: 60 }).setCookie("once", "x", { path: "/elsewhere" });
      return { visits, last: ctx.cookie("last") ?? null, once: ctx.cookie("once") ?? null };
    })
    .post("/logout", (ctx) => {
      sessionOf(ctx).destroy();
      ctx.deleteCookie("last").status(204);
    });
  before(() => app.start(0));
  after(() => app.stop({ graceMs: 0 }));

  test(
    "curl stores, sends and drops cookies as told",
    { skip: hasCurl ? false : "curl is not installed" },
    async () => {
      const part = (...more: readonly string[]): string[] => ["-sS", "-w", "\n", "-b", "", ...more];
      const visits = `http://127.0.0.1:${app.port}/visits`;
      const logout = `http://127.0.0.1:${app.port}/logout`;
      // In one process, because curl 7.88 rereads its file when it writes it, and finds deleted cookies again.
      const parts = [part(visits, visits), part("-X", "POST", logout), part(visits)];
      const { stdout } = await run(
        "curl",
        parts.flatMap((one, at) => (at === 0 ? one : ["--next", ...one])),
      );
      const lines = stdout.trimEnd().split("\n");
      const seen = lines.map((line) => (line === "" ? "" : (JSON.parse(line) as unknown)));
      assert.deepEqual(seen, [
        { visits: 1, last: null, once: null },
        { visits: 2, last: "1 é", once: null },
        "",
        { visits: 1, last: null, once: null },
      ]);
    },
  );

  test("fetch reads each cookie separately", async () => {
    const response = await fetch(`${app.url}/visits`);
    const names = response.headers.getSetCookie().map((line) => line.split("=")[0]);
    assert.deepEqual(names, ["last", "once", "__Host-session"]);
  });
});

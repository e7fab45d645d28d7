/** Whatever a subject does, the program ends, by itself and in time, lets go of every connection, and says what it saw. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { main } from "./cli.ts";
import { attacks, startHostile } from "./hostile-servers.ts";

// One over a client, one over a bare socket, one that reads a stream, one that asks again and again.
const asked = ["ROUTE-006", "ERR-026", "STREAM-018", "TRACE-113"];
const late = /no whole response within 150 ms/;

/** What the report must say. */
const sentences: Readonly<Record<string, RegExp>> = {
  "begins a response and never ends it": late,
  "sends a byte at a time": late,
  "closes in the middle of a body": /the response was cut short/,
  "sends headers for ever": late,
  "sends headers as fast as they are read": /Header overflow/,
  "sends a body of a gigabyte": /more than 64 MiB came|no whole response within 150 ms/,
  "sends events for ever": /more than 64 MiB came|no whole response within 150 ms/,
  "sends interim responses for ever": late,
  "takes the request and says nothing": late,
};

async function cli(...argv: readonly string[]) {
  const lines: string[] = [];
  const begun = performance.now();
  const code = await main(argv, { out: (text) => lines.push(text), err: (text) => lines.push(text) });
  return { code, said: lines.join("\n"), ms: performance.now() - begun };
}

describe("the program against a server that", { concurrency: true, timeout: 20_000 }, () => {
  for (const [what, attack] of Object.entries(attacks)) {
    it(`${what} ends, and says what it saw`, async () => {
      const server = await startHostile(() => attack);
      const { code, said, ms } = await cli("--url", server.url, "--timeout", "150", ...asked);
      assert.equal(code, 1, said);
      assert.match(said, sentences[what] ?? /never/);
      assert.match(said, /^source 0 of 2, house 0 of 2$/m);
      assert.ok(ms < 10_000, `it took ${ms} ms`);
      await server.left();
    });
  }

  it("refuses connections says so, and ends", async () => {
    const server = await startHostile(() => () => undefined);
    await server.left();
    const { code, said } = await cli("--url", server.url, ...asked);
    assert.equal(code, 2);
    assert.match(said, /no subject that the suite can talk to .*ECONNREFUSED/);
  });

  it("says nothing ends at the deadline of the run, with what it has found", async () => {
    const server = await startHostile(() => () => undefined);
    const { code, said, ms } = await cli("--url", server.url, "--timeout", "60000", "--deadline", "1", "ROUTE");
    assert.equal(code, 2);
    assert.match(said, /^Not whole: the deadline came when 0 of \d+ cases had been run\.$/m);
    assert.ok(ms < 5_000, `it took ${ms} ms`);
    await server.left();
  });

  it("does all of this in turn ends as a process, too", async () => {
    const all = Object.values(attacks);
    let next = 0;
    const server = await startHostile(() => all[next++ % all.length] ?? (() => undefined));
    const program = fileURLToPath(new URL("program.js", import.meta.url));
    const child = spawn(process.execPath, [program, "--url", server.url, "--timeout", "100", "CORS"], {
      stdio: "ignore",
    });
    const code = await new Promise((resolve, reject) => child.on("error", reject).on("exit", resolve));
    assert.equal(code, 1);
    await server.left();
  });
});

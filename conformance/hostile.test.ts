/** For any behavior of a subject, the program ends on its own and in time, closes every connection, and reports what it saw. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { main } from "./cli.ts";
import { attacks, startHostile } from "./hostile-servers.ts";

// One uses a client, one a plain socket, one reads a stream.
const asked = ["ROUTE-006", "ERR-026", "STREAM-018"];
const late = /no whole response within 60 ms/;

/** Sentences that the report must contain, for exchanges with this timeout in milliseconds. */
const sentences: Readonly<Record<string, readonly [sentence: RegExp, timeoutMs?: number]>> = {
  "begins a response and never ends it": [late],
  "sends a byte at a time": [late],
  "closes in the middle of a body": [/the response was cut short/, 3_000],
  "sends headers for ever": [late],
  "sends headers as fast as they are read": [/Header overflow/, 3_000],
  "sends a body of a gigabyte": [/more than 32 MiB came/, 3_000],
  "sends events for ever": [late],
  "sends interim responses for ever": [late],
  "sends a length that is no number": [/Invalid character in Content-Length/],
  "takes the request and says nothing": [late],
};

async function cli(...argv: readonly string[]) {
  const lines: string[] = [];
  const begun = performance.now();
  const code = await main(argv, { out: (text) => lines.push(text), err: (text) => lines.push(text) });
  return { code, said: lines.join("\n"), ms: performance.now() - begun };
}

describe("the program against a server that", () => {
  for (const [what, attack] of Object.entries(attacks)) {
    it(`${what} ends, closes its connections, and reports what it saw`, async () => {
      const [sentence, timeoutMs = 60] = sentences[what] ?? [/never/];
      const server = await startHostile(() => attack);
      const { code, said, ms } = await cli("--url", server.url, "--timeout", String(timeoutMs), ...asked);
      assert.deepEqual([code, await server.stop()], [1, 0], said);
      assert.match(said, sentence);
      assert.match(said, /^source: MUST 0 of 1; house: MUST 0 of 2$/m);
      assert.ok(ms < 20_000, `it took ${ms} ms`);
    });
  }

  it("refuses connections reports that, and ends", async () => {
    const server = await startHostile(() => () => undefined);
    await server.stop();
    const { code, said } = await cli("--url", server.url, ...asked);
    assert.equal(code, 2);
    assert.match(said, /no subject that the suite can talk to .*ECONNREFUSED/);
  });

  it("says nothing ends at the deadline of the run, with its findings", async () => {
    const server = await startHostile(() => () => undefined);
    const { code, said, ms } = await cli("--url", server.url, "--timeout", "60000", "--deadline", "1", "ROUTE");
    assert.deepEqual([code, await server.stop()], [2, 0], said);
    assert.match(said, /^Not whole: the deadline came when 0 of \d+ cases had been run\.$/m);
    assert.ok(ms < 20_000, `it took ${ms} ms`);
  });

  it("does all of this in turn ends as a process, too", async () => {
    const all = Object.values(attacks);
    let next = 0;
    const server = await startHostile(() => all[next++ % all.length] ?? (() => undefined));
    const program = fileURLToPath(new URL("program.js", import.meta.url));
    const options = ["--url", server.url, "--timeout", "60", ...asked, "ROUTE-001", "ROUTE-009", "CORS-004"];
    const child = spawn(process.execPath, [program, ...options], { stdio: "ignore" });
    const code = await new Promise((resolve, reject) => child.on("error", reject).on("exit", resolve));
    assert.deepEqual([code, await server.stop()], [1, 0]);
  });
});

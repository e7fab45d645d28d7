/** The suite holds the specification and not our accidents: an implementation without our code passes, too. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { cases } from "./cases/index.ts";
import { runAgainst } from "./kit/run.ts";
import { startIndependent } from "./subject/independent.ts";

describe("the independent implementation", () => {
  it("passes every clause of what it claims to have", async () => {
    const { url, close } = await startIndependent();
    try {
      const { ran } = await runAgainst(new URL(url), cases);
      const broken = ran.filter(({ outcome }) => outcome !== "held");
      assert.deepEqual(
        broken.map((result) => `${result.case.id} ${result.case.title}: ${result.reason ?? ""}`),
        [],
      );
      assert.ok(ran.length >= 40, `only ${ran.length} cases apply to it`);
    } finally {
      await close();
    }
  });

  it("keeps a connection for a client that has its 413 and still writes", async () => {
    const { url, close } = await startIndependent();
    try {
      const client = connect(Number(new URL(url).port), "127.0.0.1");
      const length = 1_048_577;
      const head = "POST /lines/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json";
      client.write(`${head}\r\nContent-Length: ${length}\r\n\r\n`);
      const [first] = (await once(client, "data")) as [Buffer];
      assert.match(first.toString("latin1"), /^HTTP\/1\.1 413 /);
      client.end("x".repeat(length));
      await once(client.resume(), "close");
      assert.equal(client.errored, null);
      assert.equal(client.bytesWritten > length, true);
    } finally {
      await close();
    }
  });
});

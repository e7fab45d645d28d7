/** The suite tests the specification and not our accidents: an implementation without our code passes too. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, it } from "node:test";
import { cases } from "./cases/index.ts";
import { runAgainst } from "./kit/run.ts";
import { startIndependent } from "./subject/independent.ts";

describe("the independent implementation", () => {
  it("passes every clause of its declared features", async () => {
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

  it("keeps a connection for a client that has received its 413 and still writes", async () => {
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

  it("may read a body before it rejects it as too large", async () => {
    const about = {
      implementation: "reading",
      version: "1",
      engine: "node:http",
      profile: "default",
      features: ["limits"],
    };
    const server = createServer((request, response) => {
      const respond = (pieces: readonly Uint8Array[]): void => {
        response.writeHead(Buffer.concat(pieces).length > 1_048_576 ? 413 : 200, {
          "Content-Type": "application/json",
        });
        response.end(JSON.stringify(request.url === "/__subject/about" ? about : {}));
      };
      request.toArray().then(respond, () => response.destroy());
    });
    try {
      await once(server.listen(0, "127.0.0.1"), "listening");
      const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      const { ran } = await runAgainst(
        url,
        cases.filter(({ id, title }) => id === "ERR-011" && title.startsWith("rejects a body over the limit")),
      );
      assert.deepEqual(
        ran.map(({ outcome, reason }) => [outcome, reason]),
        [["held", undefined]],
      );
    } finally {
      server.close();
    }
  });
});

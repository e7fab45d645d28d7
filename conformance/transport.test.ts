/** Tests the suite over TLS: HTTP/1.1, HTTP/2 by ALPN and raw bytes, with certificate checks by default. */
import assert from "node:assert/strict";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { main } from "./cli.ts";
import { Probe } from "./kit/probe.ts";
import { runAgainst } from "./kit/run.ts";
import { http1, http2, type Transport } from "./kit/transport.ts";
import { Violation } from "./kit/violation.ts";
import { certificate } from "../test/certificate.ts";
import { createSubject } from "./subject/subject.ts";

describe("a probe over TLS", () => {
  let server: Http2SecureServer;
  let base: URL;
  before(async () => {
    server = createSecureServer({ ...certificate, allowHTTP1: true }, (request, response) => {
      const host = request.headers[":authority"] ?? request.headers.host;
      response.end(`HTTP/${request.httpVersion} for ${String(host)}`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  after(() => new Promise((resolve) => server.close(resolve)));

  const versions: Readonly<Record<string, readonly [transport: Transport, response: string]>> = {
    "HTTP/1.1": [http1, "HTTP/1.1 for evil.test"],
    "HTTP/2": [http2, "HTTP/2.0 for evil.test"],
  };
  for (const [name, [transport, expected]] of Object.entries(versions)) {
    it(`speaks ${name} with any Host that a case sends`, async () => {
      const probe = new Probe(base, { transport, insecure: true });
      const response = await probe.send("GET", "/", { headers: { host: "evil.test" } });
      assert.deepEqual([response.status, response.text], [200, expected]);
    });

    it(`rejects an untrusted certificate over ${name}, and says what to do`, async () => {
      const probe = new Probe(base, { transport });
      await assert.rejects(probe.send("GET", "/"), (error) => {
        assert.ok(error instanceof Violation);
        assert.match(
          error.message,
          /its certificate comes from no trusted authority; --insecure accepts it all the same$/,
        );
        return true;
      });
    });
  }

  it("sends raw bytes", async () => {
    const probe = new Probe(base, { insecure: true });
    const { responses } = await probe.raw("GET / HTTP/1.1\r\nHost: a\r\n\r\n", { responses: 1 });
    assert.deepEqual(
      responses.map(({ status, text }) => [status, text]),
      [[200, "HTTP/1.1 for a"]],
    );
  });

  it("sends no bytes to a server with an untrusted certificate", async () => {
    const { responses, ended } = await new Probe(base).raw("GET / HTTP/1.1\r\nHost: a\r\n\r\n", { responses: 1 });
    assert.deepEqual([responses, ended], [[], "closed"]);
  });
});

describe("the command line over TLS", () => {
  const subject = createSubject({ engine: "node-http2-tls" });
  let url = "";
  before(async () => (url = await subject.start()));
  after(() => subject.stop());

  async function cli(...argv: readonly string[]): Promise<readonly [code: number, printed: string]> {
    const lines: string[] = [];
    const keep = (text: string): void => void lines.push(text);
    const code = await main(["--url", url, ...argv], { out: keep, err: keep });
    return [code, lines.join("\n")];
  }

  for (const argv of [["--insecure"], ["--insecure", "--http2"]])
    it(`exits 0 on a conformant subject with ${argv.join(" ")}`, async () => {
      const [code, printed] = await cli(...argv, "ROUTE-009", "SPAN-004");
      assert.equal(code, 0, printed);
      assert.match(printed, /^source: MUST 1 of 1; house: MUST 1 of 1$/m);
    });

  it("keeps the protocol of a subject, for the commands of its report", async () => {
    const ways = [{ insecure: true }, { insecure: true, transport: http2 }];
    const runs = await Promise.all(ways.map((options) => runAgainst(new URL(url), [], options)));
    assert.deepEqual(
      runs.map((run) => [run.url, run.http2, run.insecure]),
      [false, true].map((overHttp2) => [new URL(url).href, overHttp2, true]),
    );
  });

  it("exits 2 without --insecure, and names that option", async () => {
    const [code, printed] = await cli("ROUTE-007");
    assert.equal(code, 2);
    assert.match(printed, /its certificate comes from no trusted authority; --insecure accepts it/);
  });
});

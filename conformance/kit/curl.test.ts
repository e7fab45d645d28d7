/** Tests the command of an exchange, and what curl sends when a shell runs it. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { curl, type Way } from "./curl.ts";
import { sent, type Sent } from "./exchange.ts";
import { readRequests } from "./raw.ts";

const way: Way = { url: "http://127.0.0.1:9100/", http2: false, insecure: false };
const host = ["host", "127.0.0.1:9100"] as const;

describe("curl", () => {
  const commands: Readonly<Record<string, readonly [Sent, Partial<Way>, string | undefined]>> = {
    "a request without a body": [
      sent("GET", "/users?q='a'", [host]),
      {},
      String.raw`curl -si -A '' -H accept: 'http://127.0.0.1:9100/users?q='\''a'\'''`,
    ],
    "JSON over HTTP/2 without TLS": [
      sent("POST", "/users", [host, ["content-type", "application/json"], ["accept", "*/*"]], '{"name":"ada"}'),
      { http2: true, insecure: true },
      `curl -si --http2-prior-knowledge -X POST -A '' -H 'content-type: application/json' -H 'accept: */*' --data-raw '{"name":"ada"}' http://127.0.0.1:9100/users`,
    ],
    "HEAD over TLS with a certificate of its own": [
      sent("HEAD", "/health", [["host", "a.example"]]),
      { url: "https://127.0.0.1:9443/", insecure: true },
      "curl -si --http1.1 -k --head -A '' -H accept: -H 'host: a.example' https://127.0.0.1:9443/health",
    ],
    "an event stream over HTTP/2 with TLS": [
      sent("GET", "/events", [
        ["host", "127.0.0.1:9443"],
        ["accept", "text/event-stream"],
      ]),
      { url: "https://127.0.0.1:9443/", http2: true },
      "curl -siN --http2 -A '' -H 'accept: text/event-stream' https://127.0.0.1:9443/events",
    ],
    "bytes with a zero among them": [
      sent("PUT", "/b", [host], Buffer.of(0, 255)),
      {},
      "echo AP8= | base64 -d | curl -si -X PUT -A '' -H accept: -H content-type: --data-binary @- http://127.0.0.1:9100/b",
    ],
    "a large body": [
      sent("PUT", "/b", [host], "x\n".repeat(501)),
      {},
      String.raw`curl -si -X PUT -A '' -H accept: -H content-type: --data-binary @body http://127.0.0.1:9100/b # body: 1002 bytes that begin with $'x\012x\012x\012x\012x\012x\012x\012x\012x\012x\012'`,
    ],
    "a request that is too long to paste": [sent("GET", "/", [host, ["x-long", "x".repeat(4_000)]]), {}, undefined],
    "bytes that hold no request": [sent("", "", [], "\0"), {}, undefined],
  };
  for (const [what, [request, over, command]] of Object.entries(commands))
    it(`${command === undefined ? "has no command for" : "writes"} ${what}`, () => {
      assert.equal(curl(request, { ...way, ...over }), command);
    });

  /** The bytes on the connection when a shell runs the command. */
  async function pasted(t: TestContext, request: Sent): Promise<Sent | undefined> {
    const received: Buffer[] = [];
    const server = createServer((socket) => {
      socket.on("data", (data: Buffer) => {
        received.push(data);
        if (Buffer.concat(received).includes("\r\n\r\n"))
          socket.end("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
      });
    });
    t.after(() => server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const command = curl(request, { ...way, url }) ?? assert.fail("it has no command");
    await promisify(execFile)("bash", ["-c", command], { timeout: 10_000 });
    return readRequests(Buffer.concat(received))[0];
  }

  const noCurl = spawnSync("bash", ["-c", "curl --version"]).status === 0 ? false : "there is no curl";
  const sending: readonly Sent[] = [
    sent("GET", "/users/%zz?a=$(id)&b=`id`", [["host", "a'b"]]),
    sent("GET", "/a/../b", [
      ["host", "x"],
      ["accept", "a/b"],
      ["accept", "c/d"],
      ["user-agent", "u"],
    ]),
    sent("GET", "/%2e%2E/{a,b}[1-2]", [
      ["host", "x"],
      ["x-empty", ""],
      ["x-tab", "a\tb\\n"],
      ["x-latin", "\u00e9"],
    ]),
    sent("OPTIONS", "*", [["host", "x"]]),
    sent("GET", "http://other.example/a", [["host", "x"]]),
    sent("HEAD", "/", [["host", "x"]]),
    sent(
      "M-SEARCH",
      "/",
      [
        ["host", "x"],
        ["content-length", "2"],
      ],
      "@a",
    ),
    sent(
      "QUERY",
      "/",
      [
        ["host", "x"],
        ["content-type", "text/plain"],
        ["content-length", "9"],
      ],
      "a\n'\\é\t%\r",
    ),
    sent(
      "POST",
      "/",
      [
        ["host", "x"],
        ["content-length", "4"],
      ],
      Buffer.of(0, 1, 255, 39),
    ),
    sent(
      "POST",
      "/",
      [
        ["host", "x"],
        ["content-length", "3"],
      ],
      Buffer.of(200, 1, 255),
    ),
  ];
  for (const request of sending)
    it(`sends ${request.method} ${request.target} unchanged`, { skip: noCurl }, async (t) => {
      const byName = ({ headers, ...rest }: Sent): unknown => ({
        ...rest,
        headers: headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`).toSorted(),
      });
      const seen = await pasted(t, request);
      assert.deepEqual(byName(seen ?? assert.fail("nothing came")), byName(request));
    });
});

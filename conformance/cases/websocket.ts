/** Opening a WebSocket, as far as HTTP goes. Spec: websocket.md (WS). */
import { createHash } from "node:crypto";
import { SubjectId } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";

const key = "dGhlIHNhbXBsZSBub25jZQ==";

/** Sends an opening handshake; an undefined field is left out. */
async function open(
  probe: Probe,
  target: string,
  changed: Readonly<Record<string, string | undefined>> = {},
): Promise<HttpResponse | undefined> {
  const fields = {
    Host: probe.base.host,
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": key,
    ...changed,
  };
  const lines = Object.entries(fields).map(([name, value]) => (value === undefined ? "" : `${name}: ${value}\r\n`));
  const { responses } = await probe.raw(`GET ${target} HTTP/1.1\r\n${lines.join("")}\r\n`, { responses: 1 });
  return responses[0];
}

/** The cases of this chapter. */
export const websocket = [
  proves("WS-001", "asks a plain GET to upgrade", async (probe) => {
    const response = await open(probe, "/ws/plain", { Upgrade: undefined, Connection: "close" });
    probe.equal(
      "status and Upgrade",
      [response?.status, response?.header("upgrade")?.toLowerCase()],
      [426, "websocket"],
    );
  }),

  proves("WS-002", "accepts a handshake by the value of its key", async (probe) => {
    const response = await open(probe, "/ws/accepted");
    const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    const seen = [
      response?.status,
      response?.header("upgrade")?.toLowerCase(),
      response?.header("sec-websocket-accept"),
    ];
    probe.equal("status, Upgrade and Sec-WebSocket-Accept", seen, [101, "websocket", accept]);
  }),

  proves("WS-003", "responds as ever where middleware rejects", async (probe) => {
    const response = await open(probe, "/ws/nobody");
    const seen = [response?.status, response?.type];
    probe.equal("status and type", seen, [401, "application/problem+json"]);
  }),

  proves("WS-004", "serves an upgrade of what is no WebSocket", async (probe) => {
    const response = await open(probe, "/users/upgraded");
    probe.equal("status", response?.status, 200);
    if (response !== undefined) probe.equal("id", probe.json(SubjectId, response).id, "upgraded");
    probe.equal("the status where nothing is", (await open(probe, "/nothing/upgraded"))?.status, 404);
  }),

  proves("WS-005", "names the version that it speaks", async (probe) => {
    const response = await open(probe, "/ws/version", { "Sec-WebSocket-Version": "8" });
    probe.equal("status and version", [response?.status, response?.header("sec-websocket-version")], [426, "13"]);
  }),

  proves("WS-006", "takes no handshake without a key, or with protocols that are none", async (probe) => {
    const wrong = [
      { "Sec-WebSocket-Key": undefined },
      { "Sec-WebSocket-Key": "c2hvcnQ=" },
      { "Sec-WebSocket-Protocol": "a,,b" },
      { "Sec-WebSocket-Protocol": "a, a" },
    ];
    const statuses: unknown[] = [];
    for (const fields of wrong) statuses.push((await open(probe, "/ws/key", fields))?.status);
    probe.equal("the statuses", statuses, [400, 400, 400, 400]);
  }),

  proves("WS-007", "lets in the pages of its own host alone", async (probe) => {
    const statuses: unknown[] = [];
    for (const Origin of ["https://evil.example", "null", probe.base.origin])
      statuses.push((await open(probe, "/ws/origin", { Origin }))?.status);
    probe.equal("the statuses", statuses, [403, 403, 101]);
  }),
];

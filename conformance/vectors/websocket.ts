/** Opening a WebSocket as data, as far as HTTP goes. Spec: websocket.md (WS). */
import { createHash } from "node:crypto";
import { holds, shows, step, type Expectation, type Step } from "./vector.ts";

const key = "dGhlIHNhbXBsZSBub25jZQ==";
const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");

const keyless = { upgrade: "websocket", connection: "Upgrade", "sec-websocket-version": "13" };
const handshake = { ...keyless, "sec-websocket-key": key };

/** An opening handshake. */
const open = (target: string, expect: Expectation, headers: Record<string, string> = {}): Step =>
  step("GET", target, expect, { headers: { ...handshake, ...headers } });

/** The vectors of this chapter. */
export const websocket = [
  shows("WS-001", "a plain GET is asked to upgrade", [
    // As a list Host is sent over HTTP/1.1 whatever the subject speaks.
    step(
      "GET",
      "/ws/plain",
      { status: 426, headers: { upgrade: { names: "websocket" } } },
      { headers: { host: ["{{host}}"] } },
    ),
  ]),
  shows("WS-002", "a handshake is accepted by the value of its key", [
    open("/ws/accepted", {
      status: 101,
      headers: { upgrade: { names: "websocket" }, "sec-websocket-accept": { is: accept } },
    }),
  ]),
  shows("WS-047", "a subprotocol that was not offered is not named", [
    open("/ws/subprotocol", { status: 101, headers: { "sec-websocket-protocol": null } }),
  ]),
  shows("WS-003", "where middleware rejects, the response is as ever", [
    open("/ws/nobody", { status: 401, headers: { "content-type": { mediaType: "application/problem+json" } } }),
  ]),
  shows("WS-004", "an upgrade of what is no WebSocket is served", [
    open("/users/upgraded", { status: 200, body: holds({ id: "upgraded" }) }),
    open("/nothing/upgraded", { status: 404 }),
  ]),
  shows("WS-005", "the version that is spoken is named", [
    open(
      "/ws/version",
      { status: "4xx", headers: { "sec-websocket-version": { names: "13" } } },
      { "sec-websocket-version": "8" },
    ),
  ]),
  shows("WS-006", "a handshake without a key, or with protocols that are none, gets 400", [
    step("GET", "/ws/key", { status: 400 }, { headers: keyless }),
    open("/ws/key", { status: 400 }, { "sec-websocket-key": "c2hvcnQ=" }),
    open("/ws/key", { status: 400 }, { "sec-websocket-protocol": "a,,b" }),
    open("/ws/key", { status: 400 }, { "sec-websocket-protocol": "a, a" }),
  ]),
  shows("WS-007", "the pages of its own host alone are let in", [
    ...["https://evil.example", "null"].map((origin) => open("/ws/origin", { status: 403 }, { origin })),
    open("/ws/origin", { status: 101 }, { origin: "{{origin}}" }),
  ]),
];

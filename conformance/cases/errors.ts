/** A body that is rejected before it is sent, which a vector cannot express. Spec: errors.md (ERR). */
import { proves } from "../kit/case.ts";

/** After this many milliseconds without a response, the server is assumed to read a body before it rejects it. */
const waits = 1_000;

/** The cases of this chapter that are not vectors. */
export const errors = [
  proves("ERR-011", "rejects a body over the limit with 413, by its length or after it has arrived", async (probe) => {
    // Over HTTP/1.1 the client sends no body at first. A client that still writes when the server closes may lose its response.
    const fields = `Host: ${probe.base.host}\r\nContent-Type: application/json\r\nContent-Length: 1048577`;
    const early = probe.speaksHttp1
      ? await probe.raw(`POST /echo HTTP/1.1\r\n${fields}\r\n\r\n`, { responses: 1, timeoutMs: waits })
      : { responses: [] };
    const [over] = early.responses;
    const { status } = over ?? (await probe.send("POST", "/echo", { json: "x".repeat(1_048_577) }));
    const within = await probe.send("POST", "/echo", { json: "x".repeat(1_048_574) });
    probe.equal("the statuses over and at the limit", [status, within.status], [413, 200]);
  }),
];

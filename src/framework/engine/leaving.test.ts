/**
 * A client that leaves a streamed response with a Content-Length: after its last byte it has the response, before it not (LOG,
 * METRIC). The stream ends only after its client has left, so that the order is always the same.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Framework, type Completion, type Context } from "../index.ts";
import { HttpError } from "../internal/errors.ts";
import { type Host, hosts } from "../testing/clients.testkit.ts";
import { LeavingClient } from "./leaving.ts";

describe("LeavingClient", () => {
  const listening = (client: LeavingClient): unknown[] => {
    const heard: unknown[] = [];
    client.onGone({ gone: () => void heard.push("gone"), broken: (error) => void heard.push(error) });
    return heard;
  };

  it("reports once that it has left, immediately if it had left before", () => {
    const client = new LeavingClient();
    const heard = listening(client);
    assert.deepEqual([client.gone, heard], [false, []]);
    client.leave();
    client.leave();
    assert.deepEqual([client.gone, heard, listening(client)], [true, ["gone"], ["gone"]]);
    const unheard = new LeavingClient();
    unheard.leave();
    assert.equal(unheard.gone, true);
  });

  it("reports an unusable rest of the request, with a status that closes the connection", () => {
    const client = new LeavingClient();
    assert.equal(client.spoil(408), false);
    const heard = listening(client);
    assert.equal(client.spoil(408), true);
    const [error] = heard;
    assert.ok(error instanceof HttpError);
    assert.deepEqual([error.status, error.headers, client.gone], [408, { Connection: "close" }, false]);
    client.leave();
    assert.deepEqual([client.spoil(408), heard.length], [false, 2]);
  });
});

/** More than sockets buffer. */
const large = 16 * 1_048_576;

for (const [name, { engine, open }] of Object.entries(hosts))
  if (name !== "app.fetch")
    describe(`a client that leaves, on ${name}`, () => {
      let tell: (completion: Completion) => void = () => assert.fail("nobody waits for it");
      const respond = (pieces: readonly (string | Uint8Array)[], length: number) => (ctx: Context) => {
        ctx.onComplete((completion) => tell(completion));
        ctx.setHeader("Content-Length", length).send(until(pieces, ctx.signal));
      };
      const app = Framework.create({ host: "127.0.0.1", engine, logger: { warn: () => undefined } })
        .get("/whole", respond(["first ", "last."], 11))
        .get("/half", respond(["first ", "last."], 12))
        .get("/large", respond([new Uint8Array(large).fill(46)], large));
      let host: Host;
      before(async () => void (host = await open(app)));
      after(() => host.close());

      const left = async (target: string, leaveAfter: string): Promise<unknown> => {
        const completed = new Promise<Completion>((resolve) => void (tell = resolve));
        await host.send({ target, leaveAfter });
        const { status, bytes, aborted } = await completed;
        return { status, bytes, aborted };
      };

      it("LOG-014: has its response whole after the last byte", async () => {
        for (let at = 0; at < 20; at += 1)
          assert.deepEqual(await left("/whole", "last."), { status: 200, bytes: 11, aborted: false });
      });

      it("LOG-014: has broken it off before the last byte", async () => {
        assert.deepEqual(await left("/half", "last."), { status: 200, bytes: 11, aborted: true });
        assert.deepEqual(await left("/large", "."), { status: 200, bytes: large, aborted: true });
      });
    });

async function* until(
  pieces: readonly (string | Uint8Array)[],
  left: AbortSignal,
): AsyncGenerator<string | Uint8Array> {
  yield* pieces;
  await new Promise<void>((resolve) => left.addEventListener("abort", () => resolve()));
}

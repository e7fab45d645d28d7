/** A compressed response is shown as the application recorded it, with the headers and bytes that were sent. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans, CompressionMiddleware, EtagMiddleware, Framework } from "framework";
import { Devtools, type Trace } from "../index.ts";

const list = Array.from({ length: 100 }, (_, id) => ({ id, name: "a garden gnome" }));

/** The sent bytes of a response, and its shown form. */
async function shown(path: string): Promise<readonly [sentBytes: number, Trace["response"] | undefined]> {
  const beans = Beans.builder().start();
  const app = Framework.create({ host: "127.0.0.1", logger: { warn: () => undefined, error: () => undefined } });
  app
    .use(new CompressionMiddleware())
    .use(new EtagMiddleware())
    .get("/list", () => list)
    .get("/coded", (ctx) =>
      ctx.setHeader("Content-Encoding", "gzip").setHeader("Content-Type", "text/plain").send(Buffer.from("x")),
    );
  Devtools.create().install(app.beans(beans), beans);
  await app.start(0);
  try {
    const sent = await fetch(app.url + path, { headers: { "Accept-Encoding": "gzip" } });
    const bytes = Number(sent.headers.get("content-length"));
    await sent.body?.cancel().catch(() => undefined);
    const traces = (await (await fetch(`${app.url}/framework/dev/api/requests`)).json()) as Trace[];
    return [bytes, traces.find((trace) => trace.path === path)?.response];
  } finally {
    await app.stop({ graceMs: 50 });
  }
}

describe("what devtools show of a compressed response", () => {
  it("is the recorded body, with the headers and bytes that were sent", async () => {
    const [bytes, response] = await shown("/list");
    assert.deepEqual(response?.body, list);
    assert.deepEqual([response?.headers["content-encoding"], response?.bytes], [["gzip"], bytes]);
    assert.ok(bytes < 1_500, `${bytes} bytes`);
  });

  it("is the number of bytes if the handler has encoded it itself", async () => {
    const [, response] = await shown("/coded");
    assert.deepEqual(response?.body, { $bytes: 1 });
  });
});

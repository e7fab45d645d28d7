/**
 * The process that large bodies go through: uploads by `framework/multipart` and as raw bodies, downloads by `framework/static`.
 *
 *   node --expose-gc large-process.js <folder> <protocol>      "idle": collects, begins to watch      "peak": the most memory since
 */
import { setTimeout } from "node:timers/promises";
import { type Context, Framework, NodeHttp2Engine, NodeHttpEngine } from "framework";
import { multipart } from "framework/multipart";
import { StaticMiddleware } from "framework/static";

const [folder = "", protocol] = process.argv.slice(2);
const limits = { maxBodyBytes: 2 ** 40 };
const engine = protocol === "h2c" ? new NodeHttp2Engine() : new NodeHttpEngine();

/** The bytes of a body, read as they arrive, or one chunk per this many milliseconds. */
async function counted(ctx: Context, pauseMs = 0): Promise<object> {
  let bytes = 0;
  for await (const chunk of ctx.bodyAsStream() as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (pauseMs > 0) await setTimeout(pauseMs);
  }
  return { bytes };
}

const app = Framework.create({ host: "127.0.0.1", engine, timeouts: { requestMs: 1_800_000 } })
  .post("/body", limits, (ctx) => counted(ctx))
  .post("/slow", limits, (ctx) => counted(ctx, 2))
  .post("/drop", limits, async (ctx) => {
    let bytes = 0;
    for await (const part of multipart(ctx)) {
      if (part.kind === "file") for await (const chunk of part) bytes += chunk.length;
    }
    return { bytes };
  })
  .post("/save", limits, async (ctx) => {
    let bytes = 0;
    for await (const part of multipart(ctx))
      if (part.kind === "file") ({ bytes } = await part.saveTo(folder, { as: "saved" }));
    return { bytes };
  })
  .use(new StaticMiddleware({ root: folder, prefix: "/files" }));

let idle = 0;
let peak = 0;
const watch = (): void => void (peak = Math.max(peak, process.memoryUsage.rss()));
setInterval(watch, 5).unref();

const replies: Readonly<Record<string, () => number | Promise<number>>> = {
  async idle() {
    for (let turn = 0; turn < 2; turn += 1) {
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return (idle = peak = process.memoryUsage.rss());
  },
  peak() {
    watch();
    return peak - idle;
  },
};
process.on("message", (question: string) => {
  void Promise.resolve(replies[question]?.()).then((bytes) => process.send?.({ bytes }));
});
process.on("SIGTERM", () => void app.stop().then(() => process.exit(0)));
// Ends with its parent, so that it never outlives a run.
process.on("disconnect", () => process.exit(1));

await app.start(0);
process.send?.({ port: app.port });

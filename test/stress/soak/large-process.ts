/**
 * The process that large bodies go through: uploads by `framework/multipart`, downloads by `framework/static`.
 *
 *   node --expose-gc large-process.js <folder>      "idle": collects, begins to watch      "peak": the most memory since
 */
import { Framework } from "framework";
import { multipart } from "framework/multipart";
import { StaticMiddleware } from "framework/static";

const [folder = ""] = process.argv.slice(2);
const limits = { maxBodyBytes: 2 ** 40 };
const app = Framework.create({ host: "127.0.0.1", timeouts: { requestMs: 1_800_000 } })
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
// Without its parent it ends: it must never outlive a run.
process.on("disconnect", () => process.exit(1));

await app.start(0);
process.send?.({ port: app.port });

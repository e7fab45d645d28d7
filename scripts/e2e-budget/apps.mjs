/**
 * The applications that are measured: many beans, a large answer, and a stream that never rests.
 */
import { createServer, request } from "node:http";
import { once } from "node:events";
import { Devtools } from "@framework/devtools";
import { Beans, Framework, Interface } from "framework";

/**
 * An application of so many beans: controllers that use services that use repositories, as real ones do.
 *
 * @param {number} count
 * @returns {Promise<{ origin: string, stop: () => Promise<void> }>}
 */
export async function startBeans(count) {
  const devtools = Devtools.create();
  const layer = ["Controller", "Service", "Repository"];
  const tokens = Array.from({ length: count }, (_, i) => Interface(`Module${Math.floor(i / 3)}${layer[i % 3]}`));
  const builder = Beans.builder();
  // Latest first: a bean depends on beans of deeper layers, of its own module and of two others.
  for (let i = count - 1; i >= 0; i -= 1) {
    const deeper = [i + 1, i + 4, i + 19].filter((at) => at < count && at % 3 > i % 3);
    builder.bind(tokens[i], (b) => {
      const parts = deeper.map((at) => b.get(tokens[at]));
      return { run: async (n) => (await Promise.all(parts.map((part) => part.run(n + 1)))).length };
    });
  }
  const beans = builder.instrument(devtools.recorder()).start();
  const app = Framework.create({ host: "127.0.0.1", logger: { warn() {}, error() {} } }).beans(beans);
  const entries = tokens.filter((_, i) => i % 3 === 0);
  app.get(
    "/all",
    async (ctx) => ({ ran: (await Promise.all(entries.slice(0, 8).map((token) => ctx.get(token).run(0)))).length }),
    {
      beans: entries,
    },
  );
  app.get("/big", () => ({ rows: rows(9_000) }));
  devtools.install(app, beans);
  await app.start(0);
  const stop = async () => {
    await app.stop({ graceMs: 0 });
    await beans.close();
  };
  return { origin: `http://localhost:${app.port}`, stop };
}

/** About 115 bytes of JSON each. @param {number} count */
const rows = (count) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `Product number ${id}`,
    price: { amount: "12.50", currency: "EUR" },
    tags: ["garden", "wood", "sale"],
    stock: id % 7,
  }));

/**
 * In front of an application: everything is passed on, but the stream, which carries `perSecond` traces a second for
 * as long as it is asked to, each about 2 kB, made from one real trace.
 *
 * @param {string} origin
 * @param {Record<string, unknown>} trace
 */
export async function startFlood(origin, trace) {
  const target = new URL(origin);
  const streams = new Set();
  const server = createServer((req, res) => {
    if (req.url?.endsWith("/api/stream")) {
      res.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" }).flushHeaders();
      streams.add(res);
      res.on("close", () => streams.delete(res));
      return;
    }
    const passed = request(
      {
        host: target.hostname,
        port: target.port,
        path: req.url,
        method: req.method,
        headers: { ...req.headers, host: target.host },
      },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      },
    );
    passed.on("error", () => res.destroy());
    req.pipe(passed);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { origin: `http://localhost:${server.address().port}`, stop, pour: pour(streams, trace) };
}

/** @param {Set<import("node:http").ServerResponse>} streams @param {Record<string, unknown>} trace */
function pour(streams, trace) {
  return (perSecond, seconds) =>
    new Promise((done) => {
      const began = performance.now();
      let sent = 0;
      const timer = setInterval(() => {
        const due = Math.min(perSecond * seconds, Math.floor(((performance.now() - began) / 1_000) * perSecond));
        let text = "";
        for (; sent < due; sent += 1) text += frame(trace, sent);
        if (text !== "") for (const stream of streams) stream.write(text);
        if (sent < perSecond * seconds) return;
        clearInterval(timer);
        done(sent);
      }, 10);
    });
}

/** @param {Record<string, unknown>} trace @param {number} index */
function frame(trace, index) {
  const sequence = Number(trace.sequence) + 1 + index;
  return `event: trace\nid: ${sequence}\ndata: ${JSON.stringify({ ...trace, id: `flood-${sequence}`, sequence, startedAt: Date.now() })}\n\n`;
}

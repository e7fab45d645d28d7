/**
 * Applications with many beans: controllers that use services that use repositories, with names as long as in real ones.
 *
 *   startMany(150, 38) ──▶ 150 beans, GET /path calls 38 of them, GET /one a few
 */
import { Interface } from "framework";
import { startLab, type Lab } from "./lab.ts";

interface Part {
  run(): Promise<number>;
}

const words = ["Order", "Customer", "Invoice", "Shipment", "Catalogue", "Payment", "Discount", "Supplier", "Warehouse"];
const layers = ["Controller", "Service", "Repository"] as const;

/** The layer of a bean, by its share of each hundred. */
function layerOf(at: number, count: number): 0 | 1 | 2 {
  return at < count * 0.2 ? 0 : at < count * 0.55 ? 1 : 2;
}

/**
 * Starts an application with `count` beans. A run of `GET /path` calls about `onPath` of them. A bean of each layer uses up to
 * three of the next.
 */
export function startMany(count: number, onPath: number): Promise<Lab> {
  const tokens = Array.from({ length: count }, (_, i) =>
    Interface<Part>(`${words[i % words.length] ?? ""}${i}${layers[layerOf(i, count)]}`),
  );
  const inLayer = (layer: number) => tokens.filter((_, i) => layerOf(i, count) === layer);
  const uses = (token: (typeof tokens)[number], layer: number) => {
    const next = inLayer(layer + 1);
    const at = inLayer(layer).indexOf(token);
    return [...new Set([at, at * 2 + 1, at * 2 + 2].map((i) => next[i % next.length]))].flatMap((one) => one ?? []);
  };
  // From the first controllers on, so that each bean on the path has a caller there.
  const share = (layer: number): number => Math.max(1, Math.round(onPath * ([0.2, 0.35, 0.45][layer] ?? 0)));
  const first = inLayer(0).slice(0, share(0));
  const usedBy = (callers: typeof tokens, layer: number): typeof tokens =>
    [...new Set(callers.flatMap((one) => uses(one, layer)))].slice(0, share(layer + 1));
  const second = usedBy(first, 0);
  const called = new Set([...first, ...second, ...usedBy(second, 1)]);
  return startLab({
    beans: (builder) => {
      for (const [i, token] of [...tokens.entries()].toReversed()) {
        const below = uses(token, layerOf(i, count));
        builder.bind(token, (b) => {
          const parts = below.map((one) => ({ one, part: b.get(one) }));
          return {
            run: async () => {
              let calls = 1;
              if (called.has(token)) for (const { one, part } of parts) if (called.has(one)) calls += await part.run();
              return calls;
            },
          };
        });
      }
      return builder;
    },
    routes: (app) => {
      const controllers = inLayer(0);
      app.get("/path", { beans: controllers }, async (ctx) => {
        let calls = 0;
        for (const token of first) calls += await ctx.get(token).run();
        return { calls };
      });
      app.get("/one", { beans: controllers.slice(0, 1) }, async (ctx) =>
        controllers[0] === undefined ? 0 : ctx.get(controllers[0]).run(),
      );
    },
  });
}

/**
 * The cache in front of the catalogue, which `CACHE=true` turns on.
 *
 *   GET /products, QUERY /products/search ──▶ stored for ten seconds, by their target and the body of the search
 *   a product, a review or an order changes ──▶ purged
 */
import type { Framework, Group } from "framework";
import { CacheMiddleware, cacheTags } from "framework/cache";

const CATALOGUE = "catalogue";
const isRead = (method: string): boolean => method === "GET" || method === "QUERY";

/** Adds it to the group of the products, outside of their tags. */
export function addCache(app: Framework, products: Pick<Group, "use" | "onResponse">): void {
  const cache = new CacheMiddleware();
  products.use(cache);
  products.use((ctx, next) => {
    if (isRead(ctx.method)) cacheTags(ctx, CATALOGUE);
    return next();
  });
  products.onResponse((ctx, { status }) => {
    const isListed = ctx.route === "/products" || ctx.route === "/products/search";
    if (isListed && isRead(ctx.method) && status === 200)
      ctx.setHeader("Cache-Control", "max-age=10, stale-while-revalidate=60");
  });
  app.onResponse(async (ctx, { status }) => {
    if (!isRead(ctx.method) && status < 400 && /^\/(products|orders)/.test(ctx.route ?? ""))
      await cache.purge({ tags: [CATALOGUE] });
  });
}

/**
 * Hosted engines: the subject inside Express and Fastify, through `app.listener()`.
 *
 * The listener gets no `next`: a subject responds to every request itself, including 404.
 */
import { createRequire } from "node:module";
import type { RequestListener } from "node:http";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import type { Framework } from "framework";
import { listen, type Served } from "./listen.ts";

/** The part of Express that is used, since the package has no types. */
interface Express {
  (): RequestListener & { disable(setting: string): void; use(handler: RequestListener): void };
}

const express = createRequire(import.meta.url)("express") as Express;

/** Serves as a middleware of Express. */
export function serveExpress(app: Framework, port: number): Promise<Served> {
  const listener = app.listener();
  const host = express();
  host.disable("x-powered-by");
  host.use((req, res) => listener(req, res));
  return listen(host, port, () => app.stop());
}

/** Serves as a hook of Fastify, before it reads a body. Targets that Fastify's router rejects are passed on too. */
export async function serveFastify(app: Framework, port: number): Promise<Served> {
  const listener = app.listener();
  const respond = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack();
    listener(request.raw, reply.raw);
  };
  const host = fastify({ frameworkErrors: (_error, request, reply) => respond(request, reply) });
  host.addHook("onRequest", (request, reply) => {
    respond(request, reply);
  });
  await host.ready();
  const served = await listen(
    (req, res) => host.routing(req, res),
    port,
    () => app.stop(),
  );
  return {
    url: served.url,
    async close() {
      await served.close();
      await host.close();
    },
  };
}

/**
 * Hosted engines: the subject inside Express and Fastify, through `app.listener()`.
 *
 * The listener gets no `next`: a subject responds to every request itself, its 404s too.
 */
import { createRequire } from "node:module";
import type { RequestListener } from "node:http";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import type { Framework } from "framework";
import { listen, type Served } from "./listen.ts";

/** The part of Express that is used: the package brings no types. */
interface Express {
  (): RequestListener & { disable(setting: string): void; use(handler: RequestListener): void };
}

const express = createRequire(import.meta.url)("express") as Express;

/** As a middleware of Express. */
export function serveExpress(app: Framework, port: number): Promise<Served> {
  const listener = app.listener();
  const host = express();
  host.disable("x-powered-by");
  host.use((req, res) => listener(req, res));
  return listen(host, port, () => app.stop());
}

/** As a hook of Fastify, before it reads a body; targets that its own router rejects are passed on as well. */
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

/**
 * The HttpArena entry as a process: one worker a core, each with four ports.
 *
 *   8080  HTTP/1.1 and WebSockets      8081  HTTP/1.1 over TLS
 *   8082  HTTP/2 without TLS           8443  HTTP/2 over TLS
 *
 * The ports with TLS are open if there is a certificate. DATABASE_URL and DATABASE_MAX_CONN are those of PostgreSQL, shared by
 * the workers. REDIS_URL is their common cache, by default the Redis of the container.
 */
import cluster from "node:cluster";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:https";
import { availableParallelism } from "node:os";
import { HttpError, NodeHttp2Engine } from "framework";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { createApp } from "./app.ts";
import { type Item, Items } from "./items.ts";

const workers = availableParallelism();

if (cluster.isPrimary) lead();
else await serve();

function lead(): void {
  for (let n = 0; n < workers; n += 1) cluster.fork();
  let isEnding = false;
  const end = (): void => {
    if (isEnding) return; // A second signal would cut the requests in flight.
    isEnding = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill();
  };
  // With one worker less, every figure would be of less than the machine.
  cluster.on("exit", ({ process: { exitCode } }) => {
    if (exitCode !== 0) process.exitCode = 1;
    end();
  });
  process.once("SIGTERM", end).once("SIGINT", end);
}

async function serve(): Promise<void> {
  const { DATABASE_URL: connectionString, DATABASE_MAX_CONN = "256", REDIS_URL = "/tmp/redis.sock" } = process.env;
  const pool = new Pool({ connectionString, max: Math.max(1, Math.floor(Number(DATABASE_MAX_CONN) / workers)) });
  pool.on("error", () => undefined); // An idle connection broke. The pool opens another.
  const services = {
    dataset: JSON.parse(readFileSync("/data/dataset.json", "utf8")) as Item[],
    files: "/data/static",
    items: new Items(pool, new Redis(REDIS_URL, { lazyConnect: true })),
  };
  const apps = [
    createApp(services, 8080),
    createApp(services, 8082, new NodeHttp2Engine()).use((ctx, next) => {
      if (ctx.httpVersion !== "2") throw new HttpError(505, "this port serves HTTP/2 alone");
      return next();
    }),
  ];
  if (existsSync("/certs/server.key")) {
    const tls = { key: readFileSync("/certs/server.key"), cert: readFileSync("/certs/server.crt") };
    apps.push(createApp(services, 8443, new NodeHttp2Engine(tls)));
    createServer(tls, createApp(services, 8081).listener()).listen(8081);
  }
  for (const app of apps) await app.start();
  process.once("SIGTERM", async () => {
    await Promise.all(apps.map((app) => app.stop()));
    process.exit();
  });
}

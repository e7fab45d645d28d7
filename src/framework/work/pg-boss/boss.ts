/**
 * Boss: pg-boss as far as it is used, of major 10 (Node 20 and newer) and of major 12 (Node 22.12 and newer).
 *
 *   import("pg-boss") ──▶ 10: the class is the module ──┐
 *                         12: it is an export of it ────┴──▶ new PgBoss(settings) ──▶ Boss
 */
import { loadPeer } from "../../internal/peers.ts";
import { stateError } from "../../internal/usage-errors.ts";
import type { Sql } from "../../internal/sql.ts";

/** A job that pg-boss hands out. */
export interface BossJob {
  readonly id: string;
  readonly data: unknown;
  readonly retryCount: number;
}

/** An instance of pg-boss. */
export interface Boss {
  start(): Promise<unknown>;
  stop(options: { readonly graceful: boolean; readonly close?: boolean }): Promise<unknown>;
  on(event: "error", listener: (error: unknown) => void): unknown;
  createQueue(name: string): Promise<unknown>;
  send(name: string, data: object, options: object): Promise<string | null>;
  fetch(
    name: string,
    options: { readonly batchSize: number; readonly includeMetadata: true },
  ): Promise<readonly BossJob[] | null>;
  complete(name: string, id: string): Promise<unknown>;
  fail(name: string, id: string, output: object): Promise<unknown>;
  retry(name: string, id: string): Promise<unknown>;
  getDb(): Sql;
}

type BossClass = new (settings: object) => Boss;

/** The class, of either major. @throws (rejects) `PEER_MISSING` with the command that installs it. */
export async function loadBoss(): Promise<BossClass> {
  const loaded: unknown = await loadPeer("framework/work/pg-boss", "pg-boss", () => import("pg-boss"));
  const { PgBoss: named, default: whole } = loaded as { PgBoss?: unknown; default?: unknown };
  const found = typeof named === "function" ? named : whole;
  if (typeof found === "function") return found as BossClass;
  throw stateError("PEER_MISSING", "framework/work/pg-boss needs pg-boss of major 10 or 12, and found another");
}

/** So long is a done or a dead job kept, for its key and for its retry. In seconds. */
const keptSeconds = 14 * 24 * 60 * 60;
/** A job that waits is not dropped. In seconds. */
const tenYears = 10 * 366 * 24 * 60 * 60;

/** The settings of an instance. Names of both majors are in it, and each ignores those of the other. */
export const bossSettings = (db: Sql | string, schema: string, maintenanceSeconds: number): object => ({
  ...(typeof db === "string" ? { connectionString: db } : { db }),
  schema,
  schedule: false,
  supervise: true,
  maintenanceIntervalSeconds: maintenanceSeconds,
  archiveCompletedAfterSeconds: keptSeconds,
  archiveFailedAfterSeconds: keptSeconds,
  superviseIntervalSeconds: maintenanceSeconds,
});

/** How long a job is kept, for `send`. */
export const retention: object = { retentionSeconds: tenYears, deleteAfterSeconds: keptSeconds };

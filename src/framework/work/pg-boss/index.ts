/**
 * framework/work/pg-boss: jobs in PostgreSQL, sent in the caller's own transaction.
 *
 * Needs the optional peer `pg-boss`: major 10 on Node 20 and newer, or major 12 on Node 22.12 and newer.
 */
import type { Job } from "../../app/work.ts";
import { checkOptionNames } from "../../internal/option-names.ts";
import { shown, usageError } from "../../internal/usage-errors.ts";
import { type EngineOptions, engineOptionNames, JobEngine } from "../engine.ts";
import { checkJob, whole } from "../job.ts";
import { PgBossDriver } from "./driver.ts";
import { sqlOf } from "../../internal/sql.ts";

/** Options of {@link pgBossWork}. */
export interface PgBossWorkOptions extends EngineOptions {
  /**
   * The application's database: a pool or client of pg, `sql` of postgres.js, a PGlite, or an instance of Kysely or Knex. A
   * connection string makes a pool of its own, which needs no other library.
   */
  readonly db: object | string;
  /** The schema of its tables. Default `pgboss`. */
  readonly schema?: string | undefined;
  /** How often the database is asked for due jobs, in milliseconds. Default 1,000. */
  readonly pollMs?: number | undefined;
  /** How often jobs of dead processes are looked for, in seconds. Default 10. */
  readonly maintenanceSeconds?: number | undefined;
  /**
   * Jobs that this process sends in transactions and does not do. Their queues are made at the start, as those of `app.job`
   * are.
   */
  readonly jobs?: readonly Job[] | undefined;
}

const optionNames = ["db", "schema", "pollMs", "maintenanceSeconds", "jobs", ...engineOptionNames];

/**
 * An engine on PostgreSQL. Its tables are made at the first start.
 *
 * @throws TypeError (`WORK_INVALID`) naming what is not allowed.
 * @example
 * ```ts skip="it needs a database"
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * app.work(pgBossWork({ db: pool }));
 * ```
 */
export function pgBossWork(options: PgBossWorkOptions): JobEngine {
  checkOptionNames("pgBossWork", options, optionNames, "WORK_INVALID");
  const { db, schema = "pgboss", pollMs = 1_000, maintenanceSeconds = 10, jobs = [] } = options;
  if (typeof schema !== "string" || !/^[A-Za-z_]\w{0,49}$/.test(schema))
    throw usageError(
      "WORK_INVALID",
      `pgBossWork has schema: ${shown(schema)}; letters, digits and "_" are allowed, 50 at most`,
    );
  for (const job of jobs) checkJob("pgBossWork, in its jobs,", job);
  const driver = new PgBossDriver({
    db: typeof db === "string" ? db : sqlOf("pgBossWork's db", db, "WORK_INVALID"),
    schema,
    pollMs: whole("pgBossWork", "pollMs", pollMs, 10, 3_600_000),
    maintenanceSeconds: whole("pgBossWork", "maintenanceSeconds", maintenanceSeconds, 1, 3_600),
    jobs,
  });
  return new JobEngine("pgBossWork", driver, options);
}

export type { EngineOptions, JobsCheckOptions } from "../engine.ts";
export type { JobEngine } from "../engine.ts";

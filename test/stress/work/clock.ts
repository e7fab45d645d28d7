/**
 * A simulated clock, `factor` times as fast as the real one: the same in each process and in PostgreSQL.
 *
 *   Date.now() ──▶ replaced in the process      now() of SQL ──▶ a function of the schema `clock`, which is searched first
 *
 * Redis needs none, since BullMQ sends the time of its process with each command. Timers run in real time.
 */
import type { Pool } from "pg";

/** Where it starts, and how fast it is. */
export interface Clock {
  readonly realMs: number;
  readonly simulatedMs: number;
  readonly factor: number;
}

const realNow = Date.now;

/** The simulated time. */
export const timeOf = ({ realMs, simulatedMs, factor }: Clock): number => simulatedMs + (realNow() - realMs) * factor;

/** The real milliseconds until a simulated time. */
export const untilMs = (clock: Clock, atMs: number): number => Math.max(0, (atMs - timeOf(clock)) / clock.factor);

/** Replaces the clock of this process. */
export function useClock(clock: Clock): void {
  Date.now = () => Math.floor(timeOf(clock));
}

/** Replaces `now()` in that database, for connections that are made afterwards. */
export async function useClockIn(pool: Pool, { realMs, simulatedMs, factor }: Clock): Promise<void> {
  await pool.query("create schema clock");
  await pool.query(
    `create function clock.now() returns timestamptz language sql stable as $$
       select to_timestamp(${simulatedMs / 1_000}::float8
         + (extract(epoch from pg_catalog.now()) - ${realMs / 1_000}::float8) * ${factor}) $$`,
  );
  await pool.query("alter database postgres set search_path = clock, pg_catalog, public");
}

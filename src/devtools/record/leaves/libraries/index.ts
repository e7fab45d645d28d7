/**
 * Libraries that publish what they do on `node:diagnostics_channel`, one file each.
 *
 * Each is known by the name of its channel alone; none of them is imported, and none need be there.
 *
 * Spec: spec/leaves.md
 */
import type { Source } from "../channels.ts";
import { db0 } from "./db0.ts";
import { mysql2 } from "./mysql2.ts";
import { pino } from "./pino.ts";
import { redis } from "./redis.ts";
import { sqlite } from "./sqlite.ts";

/** Every library that is known. */
export const libraries: readonly Source[] = [...mysql2, ...redis, db0, sqlite, pino];

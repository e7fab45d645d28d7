/**
 * Libraries that publish on `node:diagnostics_channel`, one file each.
 *
 * Each is only known by the name of its channel. None of them is imported, and none need be installed.
 *
 * Spec: spec/leaves.md
 */
import type { Source } from "../channels.ts";
import { db0 } from "./db0.ts";
import { mysql2 } from "./mysql2.ts";
import { pino } from "./pino.ts";
import { redis } from "./redis.ts";
import { sqlite } from "./sqlite.ts";

/** Every known library. */
export const libraries: readonly Source[] = [...mysql2, ...redis, db0, sqlite, pino];

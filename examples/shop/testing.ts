/**
 * Shared by the shop's tests: a shop on a free port with a copy of one seeded database (copying is ten times as fast as
 * seeding), and responses as plain data.
 */
import { rmSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BeanBinder } from "framework";
import { type Departures, departuresFrom } from "../departures.ts";
import { createApp, type Shop, type ShopOptions } from "./app.ts";
import { Postgres } from "./database/postgres.ts";
import { shopDocument } from "./document.ts";
import { Clock } from "./services/clock.ts";

/** A response, without the parts that differ from run to run. */
export interface TestResponse {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A running shop and functions to use it. */
export interface OpenShop extends Shop {
  readonly folder: string;
  /** Access log lines and warnings so far. */
  readonly lines: readonly string[];
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  close(): Promise<void>;
}

/** The differences of a response from the shop's OpenAPI document, empty if it matches. */
export const departures: Departures = departuresFrom(shopDocument());

const moment = new Date("2026-11-02T10:00:00Z");

/** Gives the shop's beans a stopped clock. */
export function stopClock(beans: BeanBinder): void {
  beans.override(Clock, () => ({ now: () => moment }));
}

/** A new folder for shops. */
export function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "shop-"));
}

/** The folder of a seeded database, created once for all tests of a process. */
let seeded: Promise<string> | undefined;

async function seedDatabase(): Promise<string> {
  const folder = await newFolder();
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const postgres = await Postgres.open(folder);
  await postgres.close();
  return folder;
}

/** Opens a shop with a copy of the seeded database, in a folder of that name below `home`, with a stopped clock. */
export async function openShop(home: string, name: string, options: ShopOptions = {}): Promise<OpenShop> {
  const folder = join(home, name);
  seeded ??= seedDatabase();
  await cp(await seeded, folder, { recursive: true, force: false });
  return reopenShop(folder, options);
}

/** Opens a shop on an existing folder. */
export async function reopenShop(folder: string, options: ShopOptions = {}): Promise<OpenShop> {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const logger = { warn: log, error: log };
  const shop = await createApp({ dataDir: folder, change: stopClock, log, logger, ...options });
  await shop.app.start(0);
  const origin = `http://localhost:${shop.app.port}`;
  const close = async (): Promise<void> => {
    await shop.app.stop({ graceMs: 0 });
    await shop.beans.close();
  };
  return { ...shop, folder, lines, close, call: (...request) => call(origin, ...request) };
}

/** Removes a folder with every shop in it. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

async function call(
  origin: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  const raw = body === undefined || typeof body === "string" || body instanceof Blob || body instanceof FormData;
  const response = await fetch(origin + path, {
    method,
    headers: { ...(raw ? {} : { "Content-Type": "application/json" }), ...headers },
    body: raw ? (body ?? null) : JSON.stringify(body),
  });
  const text = await response.text();
  const type = response.headers.get("content-type");
  const interesting = [
    "location",
    "allow",
    "accept-query",
    "api-version",
    "deprecation",
    "access-control-allow-origin",
    "etag",
    "content-encoding",
    "content-range",
    "idempotency-replayed",
    "cache-status",
  ];
  const shown = interesting.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return {
    status: response.status,
    type,
    headers: Object.fromEntries(shown),
    body: /[/+]json\b/.test(type ?? "") ? (JSON.parse(text) as unknown) : text,
  };
}

/** Bull: BullMQ as far as it is used. The package is the application's. */
import { loadPeer } from "../../internal/peers.ts";

/** A job as BullMQ keeps it. */
export interface BullJob {
  readonly id?: string | undefined;
  readonly data: unknown;
  readonly attemptsMade: number;
  readonly timestamp: number;
  readonly processedOn?: number | undefined;
  readonly opts: { readonly delay?: number | undefined };
  readonly failedReason?: string | undefined;
  isFailed(): Promise<boolean>;
  retry(state: "failed"): Promise<unknown>;
  moveToWait(token?: string): Promise<unknown>;
  moveToDelayed(at: number, token?: string): Promise<unknown>;
}

/** The states that are asked for. */
export type BullState = "wait" | "active" | "delayed" | "failed";

/** A queue of jobs of one name. */
export interface BullQueue {
  add(name: string, data: object, options: object): Promise<unknown>;
  getJob(id: string): Promise<BullJob | undefined>;
  getJobs(
    states: readonly BullState[],
    from: number,
    to: number,
    isAscending: boolean,
  ): Promise<(BullJob | undefined)[]>;
  getJobCounts(...states: BullState[]): Promise<Readonly<Record<string, number>>>;
  on(event: "error", listener: (error: unknown) => void): unknown;
  close(): Promise<unknown>;
}

/** What takes jobs of one name. */
export interface BullWorker {
  on(event: "error", listener: (error: unknown) => void): unknown;
  close(isForced?: boolean): Promise<unknown>;
}

/** The module. */
export interface Bull {
  readonly Queue: new (name: string, options: object) => BullQueue;
  readonly Worker: new (
    name: string,
    process: (job: BullJob, token?: string) => Promise<unknown>,
    options: object,
  ) => BullWorker;
  readonly UnrecoverableError: new (message: string) => Error;
  readonly WaitingError: new () => Error;
  readonly DelayedError: new () => Error;
}

/** @throws (rejects) `PEER_MISSING` with the command that installs it. */
export const loadBull = async (): Promise<Bull> =>
  (await loadPeer("framework/work/bullmq", "bullmq", () => import("bullmq"))) as unknown as Bull;

/** The client of ioredis or redis, as far as it is asked. */
export interface RedisConnection {
  ping(): Promise<unknown>;
  /** Of ioredis: `ready` when it is connected. */
  readonly status?: unknown;
  /** Of redis. */
  readonly isReady?: unknown;
}

/** Would a command be answered now? A client that is away keeps commands for later. */
export const isReady = ({ status, isReady: ready }: RedisConnection): boolean => status === "ready" || ready === true;

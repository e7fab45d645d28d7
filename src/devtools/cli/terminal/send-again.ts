/**
 * Send again: the request of a run once more, with another outcome of one of its calls, or profiled.
 *
 *   run ──▶ its request, whole? ──▶ plan: the ticket ──▶ send with X-Framework-Replay ──▶ the run that came of it
 *    └─ an attempt at a job ──▶ POST …/api/replays/{run} ─────────────────────────────────┘
 */
import { randomUUID } from "node:crypto";
import { requestAgain } from "../../run/again.ts";
import { traceKey } from "../../run/format.ts";
import type { JobReplayed, Trace, WhatIf } from "../../run/shapes.ts";
import { replayHeader } from "../../run/what-if.ts";
import { CORRELATION_HEADER, REPLAY_HEADER } from "../../run/wire.ts";
import type { DevtoolsClient } from "./client.ts";
import { TerminalError } from "./errors.ts";
import { runOf, send, type Outgoing, type SendResult } from "./send.ts";

/** What to send. */
export interface SentAgain {
  readonly trace: Trace;
  readonly whatIf: readonly WhatIf[];
  readonly isProfiled: boolean;
  /** Beans that return what was recorded, or undefined for those that the plan proposes. */
  readonly beans: readonly string[] | undefined;
  /** Added to those of the run, and in place of redacted ones. */
  readonly headers: Outgoing["headers"];
}

/** Sends it. @throws TerminalError naming the missing part of the run's request, or why the outcome cannot be */
export async function sendAgain(
  client: DevtoolsClient,
  asked: SentAgain,
): Promise<SendResult & { readonly run: Trace }> {
  const { trace, whatIf, headers } = asked;
  const key = traceKey(trace);
  const unknown = whatIf.find(({ call }) => trace.calls[call] === undefined);
  if (unknown !== undefined) throw new TerminalError(`the run has no call ${unknown.call}: its tree has the ids`);
  if (trace.job !== undefined) return attemptAgain(client, asked);
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const again = requestAgain(trace);
  const missing = again.missing.find((one) => ![...given].some((name) => one.startsWith(`its header ${name} `)));
  if (missing !== undefined) throw new TerminalError(`the request of ${key} cannot be sent again: ${missing}`);
  const own = again.headers.filter(([name]) => !given.has(name.toLowerCase()));
  const header = [REPLAY_HEADER, await headerOf(client, asked)] as const;
  const { method, path, body } = again;
  const sent = await send(client, { method, path, body, headers: [...own, ...headers, header] });
  if (sent.run !== undefined) return { ...sent, run: sent.run };
  throw new TerminalError(`nothing ran: ${reasonIn(sent)}`);
}

/** The header, of a run whose plan allows it. */
async function headerOf(client: DevtoolsClient, asked: SentAgain): Promise<string> {
  const { trace, whatIf, isProfiled, beans } = asked;
  const key = traceKey(trace);
  const { ticket, refusal, beans: planned } = await client.read(`replays/${key}`);
  if (refusal !== null) throw new TerminalError(`the run ${key} cannot be replayed: ${refusal}`);
  const proposed = planned.filter(({ isDefault }) => isDefault).map(({ bean }) => bean);
  return replayHeader({ key, beans: beans ?? proposed, whatIf, isProfiled, ticket });
}

/** An attempt at a job, which the application runs by itself. */
async function attemptAgain(client: DevtoolsClient, asked: SentAgain): Promise<SendResult & { readonly run: Trace }> {
  const id = `terminal-${randomUUID()}`;
  const headers = { [REPLAY_HEADER]: await headerOf(client, asked), [CORRELATION_HEADER]: id };
  const text = await client.post(`replays/${traceKey(asked.trace)}`, headers);
  const run = await runOf(client, id);
  if (run === undefined) throw new TerminalError("the attempt was replayed, and devtools have no run of it");
  const { reason } = JSON.parse(text) as JobReplayed;
  return { status: run.status, contentType: "", body: reason ?? "", run };
}

/** The problem's detail. */
function reasonIn({ status, body }: SendResult): string {
  try {
    const { detail } = JSON.parse(body) as { readonly detail?: unknown };
    if (typeof detail === "string") return detail;
  } catch {
    // The guard responds with text.
  }
  return body.trim() === "" ? `the response is ${status}` : body.trim();
}

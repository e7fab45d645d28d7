/**
 * Protocol fuzz: seeded inputs over raw sockets, while a canary asks for an ordinary answer all the time.
 *
 *   seed ──▶ inputs ──▶ 64 sockets ──▶ subject        nothing may exit, go unhandled or be an unexpected 5xx
 *                        canary ──────▶    │
 *   a finding ──▶ bench/stress/seeds/<kind>-<seed>-<number>.bin, replayed first by every later run
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { Canary, isQuick, sighted, type Sighting } from "../canary.ts";
import { Random } from "../prng.ts";
import { grouped, root, type Row } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess } from "../subject/child.ts";
import { fuzzedInput } from "./inputs.ts";

const seeds = join(root, "bench", "stress", "seeds");
const sockets = 16;
/** A complete request is answered well before; an incomplete one is waited for no longer. */
const patienceMs = 40;
/** 503 is what a stream refuses with when it has clients enough, and an unhealthy app; 505 an HTTP version. */
const expected5xx: ReadonlySet<string> = new Set(["503", "505"]);

interface Tally {
  sent: number;
  readonly unexpected: string[];
}

/** Fuzzes for so many inputs or so long, whichever ends first. */
export async function protocolFuzz(settings: Settings): Promise<Row> {
  const target = settings.amount(100_000, 20_000);
  const deadline = performance.now() + settings.seconds(300, 60) * 1_000;
  const subject = await SubjectProcess.start(settings, {
    timeouts: { headersMs: 1_000, requestMs: 2_000, checkMs: 500 },
  });
  const tally: Tally = { sent: 0, unexpected: [] };
  const random = new Random(settings.seed);
  const canary = await Canary.start(subject.port);
  const kept = readdirSync(seeds)
    .filter((name) => name.endsWith(".bin"))
    .map((name) => readFileSync(join(seeds, name)));
  const next = (): Buffer | undefined => {
    if (subject.hasEnded || tally.sent >= target || performance.now() > deadline) return undefined;
    tally.sent += 1;
    return kept.pop() ?? fuzzedInput(random);
  };
  await Promise.all(Array.from({ length: sockets }, () => feed(subject, next, tally, settings.seed)));
  return await verdict(subject, tally, target, await canary.stop());
}

async function feed(
  subject: SubjectProcess,
  next: () => Buffer | undefined,
  tally: Tally,
  seed: number,
): Promise<void> {
  for (let input = next(); input !== undefined; input = next()) {
    const number = tally.sent;
    const answer = await exchanged(subject.port, input);
    const bad = [...answer.matchAll(/HTTP\/1\.1 (5\d\d)/g)]
      .map(([, status = ""]) => status)
      .filter((status) => !expected5xx.has(status));
    if (bad.length > 0) keep(tally, input, `${bad[0]}-${seed}-${number}`);
    else if (subject.hasEnded) keep(tally, input, `exit-${seed}-${number}`);
  }
}

function keep(tally: Tally, input: Buffer, name: string): void {
  tally.unexpected.push(name);
  if (tally.unexpected.length > 10) return;
  mkdirSync(seeds, { recursive: true });
  writeFileSync(join(seeds, `${name}.bin`), input);
}

/** Sends the bytes, and returns what comes back until it has been quiet for a moment. */
function exchanged(port: number, input: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(input));
    let text = "";
    let timer = setTimeout(() => socket.destroy(), patienceMs * 2);
    socket.on("data", (chunk) => {
      text += text.length < 4_096 ? chunk.toString("latin1") : "";
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(), isWhole(text) ? 0 : patienceMs);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(text);
    });
  });
}

/** Does the text end with a whole answer? Good enough to go on to the next input. */
function isWhole(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  const length = /^content-length: (\d+)/im.exec(text)?.[1];
  return (
    head >= 0 && (text.endsWith("0\r\n\r\n") || (length !== undefined && text.length >= head + 4 + Number(length)))
  );
}

async function verdict(subject: SubjectProcess, tally: Tally, target: number, canary: Sighting): Promise<Row> {
  const name = "protocol fuzz";
  const goal = `${grouped(target)} inputs, >= 40 % past the parser, 0 exits, 0 unhandled, 0 unexpected 5xx, canary p99 < 50 ms and three times a bare server's, 0 connections left`;
  if (subject.hasEnded) {
    const { code, signal } = await subject.ended;
    return {
      name,
      target: goal,
      met: false,
      figure: `the subject ended (code ${code}, signal ${signal}) near ${tally.unexpected.join(", ")}`,
    };
  }
  // Timeout and checking interval, and a second.
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  const { entered, refused, unhandled, connections, loopDelayMs } = await subject.state();
  await subject.stop();
  // The canary's own requests enter too.
  const past = (entered - canary.asked) / tally.sent;
  const isQuiet = unhandled.length + tally.unexpected.length + connections + canary.failures === 0;
  const met = tally.sent >= target && past >= 0.4 && isQuiet && isQuick(canary, 50);
  const figure =
    `${grouped(tally.sent)} inputs, ${Math.round(past * 100)} % past the parser, ${grouped(refused)} refused, 0 exits, ` +
    `${unhandled.length} unhandled, ${tally.unexpected.length} unexpected 5xx, ${sighted(canary)}, longest turn of the loop ` +
    `${Math.round(loopDelayMs)} ms, ${connections} connections left ${(unhandled[0] ?? "").slice(0, 600)}`.trimEnd();
  return { name, figure, target: goal, met };
}

/**
 * Hostile input: seeded connections over raw sockets, while a canary continuously requests an ordinary response.
 *
 *   seed ──▶ inputs ──▶ 16 sockets ──▶ subject ◀── canary: must hardly notice
 *   a finding ──▶ test/stress/seeds/<wire>-<status>-<seed>-<number>.bin, replayed first by every later run
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { bareServer, canary, canaryText, FLOOD_RATIO, isQuickBeside, type CanaryResult } from "../canary.ts";
import { statusesOf } from "../frames.ts";
import { root } from "../../environment.ts";
import { each, grouped, type Figure } from "../rows.ts";
import type { Settings } from "../settings.ts";
import type { Wire } from "../wires.ts";
import type { Aim } from "./aim.ts";
import { exchanged } from "./exchange.ts";
import { inputs, type Input } from "./inputs.ts";

const seeds = join(root, "test", "stress", "seeds");
const batch = 200;
/** A complete request is served well before this. An incomplete one gets no more time. */
const quietMs = 40;

/** As many connections as configured or as time allows. At least 40 % of them must pass the parser. */
export async function hostile({ wire, settings, subject }: Aim): Promise<Figure> {
  const target = settings.amount(100_000, 600);
  const deadline = performance.now() + settings.seconds(600, 60) * 1_000;
  const before = await subject.ask("state");
  const bare = await bareUnderFlood(wire, settings);
  const stopCanary = await canary(wire, subject.port);
  const bad: string[] = [];
  const turn = (): Promise<void> => subject.ask("turn");
  let sent = 0;
  const isOver = (): boolean => sent >= target || subject.hasEnded || performance.now() > deadline;
  await each(connections(wire, settings.seed, isOver), 16, async (input) => {
    const number = (sent += 1);
    // An address may reset a limited number of requests, so there are as many client addresses as in a street.
    const from = `127.0.${1 + (number % 200)}.${1 + (number % 250)}`;
    const responses = await exchanged(wire, subject.port, input, { quietMs, turn, from });
    const status = subject.hasEnded
      ? "exit"
      : statusesOf(wire, responses).find((one) => /^50[0-2]$|^50[467]/.test(one));
    if (status !== undefined)
      bad.push(keep(input, `${wire.isHttp2 ? "h2" : "h1"}-${status}-${settings.seed}-${number}`));
  });
  const seen = await stopCanary();
  const state = await subject.ask("state");
  // The canary's own requests are counted too.
  const past = (state.entered.count - before.entered.count - seen.asked) / sent;
  return {
    figure:
      `${grouped(sent)} connections, ${Math.round(past * 100)} requests past the parser for 100 of them, ` +
      `${grouped(state.rejected - before.rejected)} rejected, ${canaryText(seen)}, p90 ${seen.ninetieth.toFixed(1)} ms ` +
      `(a bare server flooded alike ${bare.ninetieth.toFixed(1)} ms), longest turn of the loop ${Math.round(state.loopDelayMs)} ms ${bad.join(", ")}`.trimEnd(),
    target: `${grouped(target)} or as many as the time allows, >= 40 past the parser, the canary's p90 <= ${FLOOD_RATIO} times that of a bare server flooded alike`,
    met:
      !subject.hasEnded &&
      sent > batch &&
      past >= 0.4 &&
      bad.length + seen.failures === 0 &&
      isQuickBeside(seen, bare, settings),
  };
}

/** The canary's result for a minimal server on the same wire under the same connections, for a tenth of the time. */
async function bareUnderFlood(wire: Wire, settings: Settings): Promise<CanaryResult> {
  const deadline = performance.now() + settings.seconds(600, 60) * 100;
  const server = await bareServer(wire);
  const stopCanary = await canary(wire, server.port);
  const flood = connections(wire, settings.seed, () => performance.now() > deadline);
  await each(flood, 16, (input) => exchanged(wire, server.port, input, { quietMs }));
  return await stopCanary().finally(() => server.close());
}

/** Earlier findings, then the inputs of the seed, batch by batch. */
function* connections(wire: Wire, seed: number, isOver: () => boolean): Generator<Input> {
  for (const name of readdirSync(seeds))
    if (name.endsWith(".bin") && name.startsWith("h2") === wire.isHttp2) yield [readFileSync(join(seeds, name))];
  for (let round = 0; ; round += 1)
    for (const input of fc.sample(inputs(wire), { seed: seed + round, numRuns: batch })) {
      if (isOver()) return;
      yield input;
    }
}

/** Writes a harmful input to a file. Returns its name. */
function keep(input: Input, name: string): string {
  mkdirSync(seeds, { recursive: true });
  writeFileSync(join(seeds, `${name}.bin`), Buffer.concat(input));
  return name;
}

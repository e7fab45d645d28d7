/**
 * Attacks: one subject for each wire, with all attacks on it one after the other.
 *
 *   attack ──▶ its own figure, and: 0 exits, 0 unhandled, 0 unexpected 5xx, 0 log lines that are forged
 *   after all of them ──▶ no connection is left and the process rests
 */
import { sampleOf, type Group, type Figure } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess, type SubjectState } from "../subject/child.ts";
import { percent, type Aim, type Attack } from "./aim.ts";
import { bypasses, escapes, forgeries, injections, reads } from "./attempts.ts";
import { framing } from "./framing.ts";
import { hostile } from "./hostile.ts";
import { disconnects, held, pieces } from "./pieces.ts";

const kinds: Readonly<Record<string, Attack>> = {
  "hostile input": hostile,
  "split at every byte": pieces,
  "cut at every byte": held,
  disconnects,
  "framing cases": framing,
  "prefix bypasses": bypasses,
  "paths out of a folder": escapes,
  "forged sessions": forgeries,
  injections,
  "cross-origin reads": reads,
  "what is left": (aim) => rest(aim),
};

/** Attacks that also apply to another runtime's parser. Framing alone is the business of that runtime. */
const ofHosts = [
  "hostile input",
  "disconnects",
  "prefix bypasses",
  "paths out of a folder",
  "forged sessions",
  "injections",
  "cross-origin reads",
  "what is left",
];

/** One group for each wire. In the short form each kind runs on four, but `what is left` on all. */
export const attacks = (settings: Settings): readonly Group[] =>
  [...settings.wires, ...settings.hosts].map((wire) => {
    let starting: Promise<SubjectProcess> | undefined;
    const timeouts = { headersMs: 4_000, requestMs: 5_000, idleMs: 4_000, checkMs: 250 };
    const aim = async (): Promise<Aim> => ({
      wire,
      settings,
      subject: await (starting ??= SubjectProcess.start(settings, wire.engine, { timeouts })),
    });
    const chosen = Object.entries(kinds).filter(([kind], at) => {
      if (settings.hosts.includes(wire)) return ofHosts.includes(kind);
      return kind === "what is left" || sampleOf(settings.wires, settings, 4, at).includes(wire);
    });
    const rows = chosen.map(
      ([kind, attack]) => [`${kind} on ${wire.name}`, async () => harmless(attack, await aim())] as const,
    );
    return Object.fromEntries(rows);
  });

/** Checks that the attack did no harm, in addition to its own result. */
async function harmless(attack: Attack, aim: Aim): Promise<Figure> {
  const before = await aim.subject.ask("state");
  const { figure, target, met } = await attack(aim);
  const after = await aim.subject.ask("state");
  const unhandled = after.unhandled.slice(before.unhandled.length);
  const unexpected = after.unexpected.slice(before.unexpected.length);
  const forged = after.forged - before.forged;
  const found = [...unhandled, ...unexpected].join("; ").slice(0, 600);
  return {
    figure: `${figure.trim()}; ${unhandled.length} unhandled, ${unexpected.length} unexpected 5xx, ${forged} forged lines ${found}`,
    target: `${target}; 0 exits, 0 unhandled, 0 unexpected 5xx, 0 forged lines`,
    met: met && unhandled.length + unexpected.length + forged === 0,
  };
}

/** All clients have left. */
const rest: Attack = async ({ subject }) => {
  const isOver = ({ connections, unlogged }: SubjectState): boolean => connections + unlogged === 0;
  const { connections, streams, unlogged } = await subject.stateWhen(isOver);
  const share = await subject.idleShare(10);
  return {
    figure: `${connections} connections and ${streams} streams left, ${unlogged} requests without a log line, ${percent(share)} of a core`,
    target: "0 left, 0 without, less than 20 %",
    met: connections + streams + unlogged === 0 && share < 0.2,
  };
};

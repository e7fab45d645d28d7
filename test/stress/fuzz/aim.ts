/** Types shared by the attacks: the target and the result. */
import type { Figure } from "../rows.ts";
import type { Settings } from "../settings.ts";
import type { SubjectProcess } from "../subject/child.ts";
import type { Wire } from "../wires.ts";

/** The input of an attack. */
export interface Aim {
  readonly wire: Wire;
  readonly settings: Settings;
  readonly subject: SubjectProcess;
}

/** An attack. Resolves with its result. */
export type Attack = (aim: Aim) => Promise<Figure>;

/** A share of a core, as text. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;

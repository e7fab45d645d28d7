/** What every attack has in common: what it is aimed at, and what comes of it. */
import type { Figure } from "../rows.ts";
import type { Settings } from "../settings.ts";
import type { SubjectProcess } from "../subject/child.ts";
import type { Wire } from "../wires.ts";

/** What an attack is given. */
export interface Aim {
  readonly wire: Wire;
  readonly settings: Settings;
  readonly subject: SubjectProcess;
}

/** What came of it. */
export type Attack = (aim: Aim) => Promise<Figure>;

/** A share of a core. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;

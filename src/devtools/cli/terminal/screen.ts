/**
 * Screen: how wide lines may be, and whether they are in colour.
 *
 *   a terminal ──▶ its width, colour        NO_COLOR, TERM=dumb ──▶ no colour        FORCE_COLOR ──▶ colour
 *   a pipe, a file ──▶ any width, no colour                 COLUMNS, --width ──▶ that width
 */

/** The purpose of a text. */
export type Tone = "strong" | "muted" | "good" | "warn" | "bad" | "name" | "data";

/** Where lines are printed. */
export interface Screen {
  /** Columns of a line; Infinity if lines are not cut. */
  readonly width: number;
  paint(tone: Tone, text: string): string;
}

/** The used part of `process.stdout`. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Select Graphic Rendition: the code that begins a tone. */
const codes: Readonly<Record<Tone, string>> = {
  strong: "1",
  muted: "2",
  good: "32",
  warn: "33",
  bad: "31",
  name: "36",
  data: "35",
};

/** The screen of an output. `width` is the value of `--width`. */
export function screenOf(output: Output, env: Environment, width?: number): Screen {
  const isColoured = wantsColour(output, env);
  return {
    width: width ?? widthOf(output, env),
    paint: (tone, text) => (isColoured && text !== "" ? `\u001b[${codes[tone]}m${text}\u001b[0m` : text),
  };
}

/** According to https://no-color.org and Node, a variable set to an empty text is not set, and FORCE_COLOR=0 is off. */
function wantsColour({ isTTY }: Output, { NO_COLOR, FORCE_COLOR, TERM }: Environment): boolean {
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTTY === true && TERM !== "dumb";
}

function widthOf({ isTTY, columns }: Output, { COLUMNS }: Environment): number {
  const own = isTTY === true && columns !== undefined && columns > 0 ? columns : undefined;
  const named = COLUMNS !== undefined && /^[1-9]\d{0,3}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
  return own ?? named ?? Infinity;
}

/**
 * Words and turns that a reader of Fastify's or Hono's sources stumbles over, each with what to write. Comments
 * (`house/plain-words` of lint-plugin.mjs) and the documentation (docs.test.ts) do without them.
 */

/** @type {readonly (readonly [turn: RegExp, instead: string])[]} */
export const unclear = [
  [/\bnobody\b/i, "name who does not, or use the passive"],
  [/\bwhoever\b/i, "name it: the caller, the client"],
  [/\bheld? against\b/i, "compared with, checked against"],
  [/\bunless told\b/i, "by default"],
  [/\bstand-ins?\b/i, "wrapper, proxy object"],
  [/\brefus(?:e|es|ed|al|als|ing)\b/i, "reject, rejection"],
  [/\b(?:is|are|was|were) told\b|\btells? of\b/i, "is notified, reports"],
  [/\b(?:all|nothing|none) but\b/i, "all except, only"],
  [/\bin the place of\b/i, "instead of"],
  [/\bby hand\b/i, "manually, hand-written"],
  [/\bmeanwhile\b/i, "during, in the meantime"],
  [/\b(?:is|are) let in\b/i, "is admitted, is allowed"],
  [/\bso (?:long|many|much) as\b/i, "while, as many as"],
  [/\bcomes? of (?:it|that)\b/i, "results"],
  [/(?:^|[.:;] )Who (?!is\b|are\b|was\b|does\b|can\b)[a-z]+ [a-z]/, "begin with the subject: a client that …"],
];

/** The turns in a text, each with what to write. @param {string} text @returns {string[]} */
export function unclearIn(text) {
  const line = text.replaceAll(/\s*\n[\s*]*/g, " ");
  return unclear.flatMap(([turn, instead]) => {
    const found = turn.exec(line);
    return found === null ? [] : [`"${found[0].trim()}": ${instead}`];
  });
}

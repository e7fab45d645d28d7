/**
 * Mutants that survive because they change nothing that anybody can see, each with a word why. A name is what `make mutation`
 * writes to .build/mutation/<room>.survivors.txt behind line and mutator; an entry counts where the mutant still survives.
 *
 * @type {readonly (readonly [name: string, why: string])[]}
 */
export const equivalents = [
  [
    'routing/path: if («path.indexOf("%") < 0 && path.indexOf("\\\\") < 0») → false',
    "the way with decoding gives the same text",
  ],
  [
    'routing/path: if («path.indexOf("%") < 0» && path.indexOf("\\\\") < 0) → path.indexOf("%") <= 0',
    "the way with decoding gives the same text",
  ],
  [
    'routing/path: if (path.indexOf(«"%"») < 0 && path.indexOf("\\\\") < 0) → ""',
    "the way with decoding gives the same text",
  ],
  [
    'routing/path: if (path.indexOf("%") < 0 && «path.indexOf("\\\\") < 0») → path.indexOf("\\\\") <= 0',
    "the way with decoding gives the same text",
  ],
  [
    'routing/path: if (path.indexOf("%") < 0 && path.indexOf(«"\\\\"») < 0) → ""',
    "the way with decoding gives the same text",
  ],
  [
    'routing/path: return «path.indexOf(".") >= 0 && path.indexOf("/.") >= 0» && hasDotSegment(path) ? undefined : path; → true',
    "only saves the regular expression, which decides alone",
  ],
  [
    'routing/path: return «path.indexOf(".") >= 0 && path.indexOf("/.") >= 0» && hasDotSegment(path) ? undefined : path; → path.indexOf(".") >= 0 || path.indexOf("/.") >= 0',
    "only saves the regular expression, which decides alone",
  ],
  [
    'routing/path: return «path.indexOf(".") >= 0» && path.indexOf("/.") >= 0 && hasDotSegment(path) ? undefined : path; → true',
    "only saves the regular expression, which decides alone",
  ],
  [
    'routing/path: return «path.indexOf(".") >= 0» && path.indexOf("/.") >= 0 && hasDotSegment(path) ? undefined : path; → path.indexOf(".") > 0',
    "only saves the regular expression, which decides alone",
  ],
  [
    'routing/path: return path.indexOf(«"."») >= 0 && path.indexOf("/.") >= 0 && hasDotSegment(path) ? undefined : path; → ""',
    "only saves the regular expression, which decides alone",
  ],
  [
    'routing/path: return path.indexOf(".") >= 0 && «path.indexOf("/.") >= 0» && hasDotSegment(path) ? undefined : path; → true',
    "only saves the regular expression, which decides alone",
  ],
  [
    'routing/path: return path.indexOf(".") >= 0 && path.indexOf(«"/."») >= 0 && hasDotSegment(path) ? undefined : path; → ""',
    "only saves the regular expression, which decides alone",
  ],
  [
    'routing/path: return «plain.indexOf("//") < 0» ? plain : plain.replace(/\\/{2,}/g, "/"); → false',
    "only saves the regular expression, which decides alone",
  ],
  [
    'routing/path: return plain.indexOf(«"//"») < 0 ? plain : plain.replace(/\\/{2,}/g, "/"); → ""',
    "only saves the regular expression, which decides alone",
  ],
  [
    "routing/path: return code === 47 || («code === 0xd800» && (routed.startsWith(heldSlash, at) || routed.startsWith(heldBackslash, at))); → true",
    "only saves the comparison with what is held, which decides alone",
  ],
  [
    'routing/pattern: const runs = text.match(/(?:%[0-9a-f]{2})+/gi) ?? «[]»; → ["Stryker was here"]',
    "what holds % and can be decoded has an escape, so there is a match",
  ],
  [
    'routing/router: values.push(`${values.pop() ?? «""»}/`); → "Stryker was here!"',
    "what ends in a wildcard has a value",
  ],
  ['routing/router: paramName: «""», → "Stryker was here!"', "set before it is compared"],
  ['routing/router: paramOf: «""», → "Stryker was here!"', "set before it is read"],
  [
    'routing/router: table = { literals: new Map(), root: nodeOf(«""»), dynamic: false }; → "Stryker was here!"',
    "the prefix of the root and of a parameter is never compared",
  ],
  [
    'routing/router: table = { literals: new Map(), root: nodeOf(""), dynamic: «false» }; → true',
    "only saves the walk through a tree that finds nothing",
  ],
  [
    "routing/router: if («pattern.names.length === 0») { → false",
    "the tree finds literals too; the table is only quicker",
  ],
  [
    "routing/router: const end = «slash < 0» ? path.length : slash; → slash <= 0",
    "a path begins with a slash, and no parameter begins there",
  ],
  [
    "routing/router: if (code === 47 || («code >= 0xd800» && isSeparator(path, at))) → true",
    "no character below is a separator but the slash, which is asked for before",
  ],
  [
    "routing/router: for (const part of pattern.text.split(«/(\\{[^{}]*\\}|\\*.*)/»)) { → /(\\{[^{}]*\\}|\\*.)/",
    "a wildcard is recognised by its star",
  ],
  ['routing/router: if («part === ""») → false', "nothing is inserted for an empty part"],
  ['routing/router: if (part === «""») → "Stryker was here!"', "nothing is inserted for an empty part"],
  [
    'routing/router: node.param = nodeOf(«""»); → "Stryker was here!"',
    "the prefix of the root and of a parameter is never compared",
  ],
  [
    "routing/router: while («i < a.length && i < b.length» && a.charCodeAt(i) === b.charCodeAt(i)) → true",
    "the character behind the end of one is no character of the other",
  ],
  [
    "routing/router: while («i < a.length && i < b.length» && a.charCodeAt(i) === b.charCodeAt(i)) → i < a.length || i < b.length",
    "the character behind the end of one is no character of the other",
  ],
  [
    "routing/router: while («i < a.length» && i < b.length && a.charCodeAt(i) === b.charCodeAt(i)) → true",
    "the character behind the end of one is no character of the other",
  ],
  [
    "routing/router: while («i < a.length» && i < b.length && a.charCodeAt(i) === b.charCodeAt(i)) → i <= a.length",
    "the character behind the end of one is no character of the other",
  ],
  [
    "routing/router: while (i < a.length && «i < b.length» && a.charCodeAt(i) === b.charCodeAt(i)) → true",
    "the character behind the end of one is no character of the other",
  ],
  [
    "routing/router: while (i < a.length && «i < b.length» && a.charCodeAt(i) === b.charCodeAt(i)) → i <= b.length",
    "the character behind the end of one is no character of the other",
  ],
  [
    "metrics/faults: «this.#warn?.(`${this.#what} failed: ${describeError(error)} (further faults are only counted)`)»; → this.#warn(`${this.#what} failed: ${describeError(error)} (further faults are only counted)`)",
    "the TypeError of calling nothing is caught by the same try",
  ],
  [
    "metrics/histogram: while («index < DURATION_BOUNDARIES.length» && value > (DURATION_BOUNDARIES[index] ?? Infinity)) → true",
    "behind the last boundary the comparison is with Infinity",
  ],
  [
    "metrics/histogram: while («index < DURATION_BOUNDARIES.length» && value > (DURATION_BOUNDARIES[index] ?? Infinity)) → index <= DURATION_BOUNDARIES.length",
    "behind the last boundary the comparison is with Infinity",
  ],
  ["metrics/histogram: if («value < this.min») → value <= this.min", "an equal value is the minimum already"],
  ["metrics/histogram: if («value > this.max») → value >= this.max", "an equal value is the maximum already"],
  [
    "metrics/histogram: for (let index = 0; «index < this.counts.length»; index += 1) { → index <= this.counts.length",
    "a Float64Array has nothing behind its end, and keeps nothing there",
  ],
  [
    "metrics/in-memory: «entry.statuses.get(status)?.observe»(durationSeconds); → entry.statuses.get(status).observe",
    "the entry has a histogram for the status: the type alone does not know",
  ],
  [
    "metrics/in-memory: if («!full») → true",
    "the number of series is compared with the limit alone, and is there already",
  ],
  [
    "metrics/in-memory: for (const [status, histogram] of «[...statuses].sort(([a], [b]) => a - b)») { → [...statuses]",
    "the object has whole numbers as keys, which come in order by themselves",
  ],
  [
    "metrics/in-memory: for (const [status, histogram] of [...statuses].sort(«([a], [b]) => a - b»)) { → () => undefined",
    "the object has whole numbers as keys, which come in order by themselves",
  ],
  [
    "metrics/in-memory: for (const [status, histogram] of [...statuses].sort(([a], [b]) => «a - b»)) { → a + b",
    "the object has whole numbers as keys, which come in order by themselves",
  ],
];

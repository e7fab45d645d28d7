/**
 * Mutants that survive because they change nothing that anybody can see, each with a word why. A name is what `make mutation`
 * writes to .build/mutation/<room>.survivors.txt behind line and mutator; an entry counts where the mutant still survives.
 *
 * @type {readonly (readonly [name: string, why: string])[]}
 */
export const equivalents = [
  ['routing/pattern: [] → ["Stryker was here"]', "what holds % and can be decoded has an escape, so there is a match"],
  [
    'routing/router: "" → "Stryker was here!"',
    "the prefix of the root and of a parameter, and names not set yet, are never compared",
  ],
  ["routing/router: pattern.names.length === 0 → false", "the tree finds literals too; the table is only quicker"],
  ["routing/router: false → true", "whether a table has dynamic routes only saves the walk"],
  ["routing/router: slash < 0 → slash <= 0", "a path begins with a slash, and no parameter begins there"],
  [
    "routing/router: code >= 0xd800 → true",
    "no character below is a separator but the slash, which is asked for before",
  ],
  ["routing/router: /(\\{[^{}]*\\}|\\*.*)/ → /(\\{[^{}]*\\}|\\*.)/", "a wildcard is recognised by its star"],
  ['routing/router: part === "" → false', "nothing is inserted for an empty part"],
  [
    "routing/router: i < a.length && i < b.length → true",
    "the character behind the end of one is no character of the other",
  ],
  ["routing/router: i < a.length && i < b.length → i < a.length || i < b.length", "likewise"],
  ["routing/router: i < a.length → true", "likewise"],
  ["routing/router: i < a.length → i <= a.length", "likewise"],
  ["routing/router: i < b.length → true", "likewise"],
  ["routing/router: i < b.length → i <= b.length", "likewise"],
];

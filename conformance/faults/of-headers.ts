/**
 * Equivalent header lines: RFC 9110 and the definition of each field allow several spellings.
 *
 *   Vary: Origin, Accept      vary:accept ,⇥Origin, Accept-Language
 */
import type { HeaderLines } from "../kit/response.ts";

type Line = HeaderLines[number];
/** Returns lines with the same meaning. */
export type SpellLines = (lines: HeaderLines) => HeaderLines;
type Kinds = Readonly<Record<string, SpellLines>>;
type Spells = Readonly<Record<string, (value: string) => string>>;

/** The axes along which the lines of that header may differ with that status. The kinds of one axis are alternatives. */
export function spellingsOf(header: string, status: number): readonly Kinds[] {
  const isIt = ([name]: Line): boolean => name.toLowerCase() === header;
  const values = (spells: Spells): Kinds =>
    Object.fromEntries(
      Object.entries(spells).map(([kind, spell]) => [
        kind,
        (lines) => lines.map((line): Line => (isIt(line) ? [line[0], spell(line[1])] : line)),
      ]),
    );
  const names =
    (spell: (name: string) => string): SpellLines =>
    (lines) =>
      lines.map((line): Line => (isIt(line) ? [spell(line[0]), line[1]] : line));
  const mine = (lines: HeaderLines): HeaderLines => lines.filter(isIt);
  const others = (lines: HeaderLines): HeaderLines => lines.filter((line) => !isIt(line));
  const isList = lists.has(header);
  return [
    ...(ofOneField[header] ?? []).map(values),
    // RFC 9110 section 7.8: the protocols that a server could speak, or the one that it speaks from now on.
    ...(header === "upgrade" && status !== 101 ? [values(anotherProtocol)] : []),
    ...(header.startsWith("content-security-policy") ? [{ "in two lines": inTwoPolicies(isIt) }] : []),
    ...(isList ? [values(inAnotherOrder)] : []),
    ...(caseless.has(header) ? [values(inAnotherCase)] : []),
    ...(isList
      ? [
          {
            ...values(delimited),
            "a line for each member": (lines) =>
              lines.flatMap((line) => (isIt(line) ? membersOf(line[1]).map((one): Line => [line[0], one]) : [line])),
          } satisfies Kinds,
        ]
      : []),
    {
      "its name in capitals": names((name) => name.toUpperCase()),
      "its name in small letters": names((name) => name.toLowerCase()),
      "its name in both": names((name) =>
        name.replaceAll(/[a-z](?=[a-z]?)/gi, (char, at: number) =>
          at % 2 === 0 ? char.toLowerCase() : char.toUpperCase(),
        ),
      ),
    },
    {
      "before all others": (lines) => [...mine(lines), ...others(lines)],
      "behind all others": (lines) => [...others(lines), ...mine(lines)],
    },
  ];
}

const membersOf = (value: string): readonly string[] => value.split(",").map((member) => member.trim());
const upper = (value: string): string => value.toUpperCase();
const lower = (value: string): string => value.toLowerCase();

/** Lists of RFC 9110 section 5.6.1, in any order and in several lines. */
const lists = new Set([
  "vary",
  "allow",
  "accept-encoding",
  "accept-ranges",
  "cache-control",
  "access-control-allow-methods",
  "access-control-allow-headers",
  "access-control-expose-headers",
  "sec-websocket-version",
]);

const caseless = new Set([
  "vary",
  "accept-encoding",
  "accept-ranges",
  "cache-control",
  "content-encoding",
  "upgrade",
  "connection",
  "access-control-allow-headers",
  "access-control-expose-headers",
  "x-content-type-options",
  "x-frame-options",
]);

const inAnotherOrder: Spells = {
  "in another order": (value) => membersOf(value).toReversed().join(", "),
  "by their names": (value) => membersOf(value).toSorted().join(", "),
  "the first behind the others": (value) => {
    const [first = "", ...others] = membersOf(value);
    return [...others, first].join(", ");
  },
};

const anotherProtocol: Spells = {
  "another protocol behind": (value) => `${value}, h2c`,
  "another protocol before": (value) => `h2c, ${value}`,
};

/** Splits a policy in two: a browser enforces both. */
const inTwoPolicies =
  (isIt: (line: Line) => boolean): SpellLines =>
  (lines) =>
    lines.flatMap((line) => {
      const all = line[1].split(";").map((one) => one.trim());
      const apart = all.filter((one) => /^(?:base-uri|form-action|frame-ancestors)\b/i.test(one));
      const kept = all.filter((one) => !apart.includes(one));
      return isIt(line) && apart.length > 0 ? [kept, apart].map((some): Line => [line[0], some.join("; ")]) : [line];
    });

const inAnotherCase: Spells = { "in capitals": upper, "in small letters": lower };

const delimited: Spells = {
  "without blanks": (value) => membersOf(value).join(","),
  "with blanks and tabs": (value) => membersOf(value).join(" ,\t"),
};

const isText = /^(?:application\/(?:problem\+)?json|text\/(?!event))/i;
const charset =
  (spelt: string) =>
  (value: string): string =>
    isText.test(value) || /^text\/event-stream/i.test(value) ? `${value.split(";")[0] ?? ""}${spelt}` : value;

/** Content Security Policy Level 3, section 2.2.1 */
const policy: readonly Spells[] = [
  {
    "directives in another order": (value) => value.split(";").toReversed().join(";"),
    "a semicolon behind": (value) => `${value};`,
  },
  {
    "directives in capitals": (value) =>
      value.replaceAll(/(^|;\s*)([a-z-]+)/g, (_, before: string, name: string) => before + upper(name)),
  },
  { "blanks around": (value) => value.replaceAll(/;\s*/g, " ;\t") },
];

/** What the definition of one field allows. */
const ofOneField: Readonly<Record<string, readonly Spells[]>> = {
  // RFC 9110 section 8.3.1
  "content-type": [
    {
      "charset=UTF-8": charset("; charset=UTF-8"),
      "a charset in quotes": charset('; charset="utf-8"'),
      "no blank before the charset": charset(";charset=utf-8"),
      "the name of the charset in capitals": charset(" ; CHARSET=utf-8"),
    },
    {
      "the type in capitals": (value) => value.replace(/^[^;]+/, upper),
      "the type in both cases": (value) => value.replaceAll(/(?:^|\/|\+)[a-z]/g, upper),
    },
  ],
  vary: [
    {
      "a field more": (value) => `${value}, Accept-Language`,
      "a field more before": (value) => `Accept-Language, ${value}`,
    },
  ],
  // RFC 9111 section 5.2
  "cache-control": [
    {
      "no-store among others": (value) => (/no-store/i.test(value) ? `${value}, max-age=0` : value),
      "a directive that nobody knows": (value) => `${value}, community="UCI"`,
    },
  ],
  // RFC 10008 section 3
  "accept-query": [
    {
      "a type as a string": (value) =>
        membersOf(value)
          .map((one) => `"${one}"`)
          .join(", "),
    },
    { "the types in capitals": upper },
  ],
  // RFC 6455 section 4.4
  "sec-websocket-version": [
    { "another version behind": (value) => `${value}, 8`, "another version before": (value) => `8, ${value}` },
  ],
  ratelimit: [
    { "with blanks": (value) => value.replaceAll(";", ";  "), "a parameter more": (value) => `${value};later=1` },
  ],
  "ratelimit-policy": [
    { "with blanks": (value) => value.replaceAll(";", ";  "), "a parameter more": (value) => `${value};later=1` },
  ],
  // RFC 6265 section 4.1.1
  "set-cookie": [
    {
      "attributes in another order": (value) => attributes(value, (all) => all.toReversed()),
      "the first attribute behind the others": (value) =>
        attributes(value, ([first = "", ...others]) => [...others, first]),
    },
    {
      "attributes in capitals": (value) => attributes(value, (all) => all.map((one) => one.replace(/^[^=]+/, upper))),
      "attributes in small letters": (value) =>
        attributes(value, (all) => all.map((one) => one.replace(/^[^=]+/, lower))),
    },
  ],
  // RFC 9110 section 11.4
  "www-authenticate": [
    {
      "schemes in capitals": (value) => value.replaceAll(/\b(?:Basic|Bearer)\b/gi, upper),
      "schemes in small letters": (value) => value.replaceAll(/\b(?:Basic|Bearer)\b/gi, lower),
    },
    {
      "names of parameters in capitals": (value) =>
        value.replaceAll(/\b(?:realm|charset|error|error_description|scope)=/g, upper),
      "a parameter more": (value) => `${value}, later="1"`,
    },
    {
      "a token without quotes": (value) => value.replaceAll(/(charset|error)="([\w-]+)"/gi, "$1=$2"),
      "commas without blanks": (value) => value.replaceAll(/", /g, '",'),
    },
  ],
  // RFC 6266 section 4.1
  "content-disposition": [
    {
      "the type in capitals": (value) => value.replace(/^[a-z]+/i, upper),
      "the type with a capital": (value) => value.replace(/^[a-z]/, upper),
    },
    {
      "the parameter in capitals": (value) => value.replace(/filename(?==)/, upper),
      "a parameter more": (value) => `${value}; later=1`,
    },
    {
      "a name without quotes": (value) => value.replace(/="([\w.-]+)"$/, "=$1"),
      "no blank": (value) => value.replace("; ", ";"),
      "more blanks": (value) => value.replace("; ", " ;  "),
    },
  ],
  // RFC 9110 section 14.1
  "content-range": [{ "the unit in capitals": (value) => value.replace(/^bytes/, upper) }],
  "content-security-policy": policy,
  "content-security-policy-report-only": policy,
};

/** The pair as it is, with its attributes changed. */
function attributes(line: string, change: (all: readonly string[]) => readonly string[]): string {
  const [pair = "", ...all] = line.split(/;\s*/);
  return [pair, ...change(all)].join("; ");
}

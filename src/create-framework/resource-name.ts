/**
 * The name of a generated slice, in every spelling that its files need.
 *
 *   SalesOrder, salesOrder, sales-order ──▶ type SalesOrder · file sales-order · path /sales-orders · "sales orders"
 */
import { UsageError } from "./errors.ts";

/** A name in all its spellings. */
export interface ResourceName {
  /** `SalesOrder` */
  readonly type: string;
  /** `salesOrder` */
  readonly variable: string;
  /** `sales-order` */
  readonly file: string;
  /** `sales-orders`: the folder below `src/` and, with a slash before it, the path. */
  readonly folder: string;
  /** `sales orders` */
  readonly plural: string;
}

const MAX_LENGTH = 40;
/** Types that the generated files use. */
const taken: ReadonlySet<string> = new Set(
  "App Array AsyncBeansBuilder Beans Compile Context Framework Interface JSON Map NotFoundError Object Promise Record Response Static Type UnprocessableContentError".split(
    " ",
  ),
);

/** The spellings of `name`. @throws UsageError saying what is allowed */
export function resourceName(name: string): ResourceName {
  if (!/^[A-Za-z][A-Za-z0-9]*(?:-[a-z0-9]+)*$/.test(name) || name.length > MAX_LENGTH) {
    const rule = `letters and digits, a letter first, such as Order or SalesOrder, at most ${MAX_LENGTH} characters`;
    throw new UsageError(`${JSON.stringify(name)} is no name for it: ${rule}`);
  }
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase()
    .split("-");
  const type = words.map(capitalised).join("");
  if (taken.has(type)) throw new UsageError(`it cannot be called ${JSON.stringify(name)}: ${type} is a type in use`);
  const plural = [...words.slice(0, -1), pluralOf(words.at(-1) ?? "")];
  return {
    type,
    variable: type.charAt(0).toLowerCase() + type.slice(1),
    file: words.join("-"),
    folder: plural.join("-"),
    plural: plural.join(" "),
  };
}

/** `text` with its first letter in upper case. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The English plural, by simple rules. A word that is already plural stays as it is. */
function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  if (/(?:ss|us|x|z|ch|sh)$/.test(word)) return `${word}es`;
  if (word.endsWith("is")) return `${word.slice(0, -2)}es`;
  return word.endsWith("s") ? word : `${word}s`;
}

/**
 * Adds a slice to a module file. Everything else stays unchanged, byte for byte.
 *
 *   import …                    ◀── behind the last import
 *   Beans.builder().bind(…)     ◀── behind the last call of that chain
 *   function addRoutes(app) {…  ◀── at the end of its body
 *
 * It finds the places as a reader would: it skips strings and comments, and matches brackets. If one is missing, nothing is
 * guessed.
 */
import { UsageError } from "./errors.ts";

/** The additions. */
export interface ModuleAdditions {
  /** Whole import statements. */
  readonly imports: readonly string[];
  /** Calls such as `.bind(X, () => new Y())`. */
  readonly binds: readonly string[];
  /** Lines of statements, without the base indent. The application is written `$app`. */
  readonly routes: readonly string[];
}

/** The text of the module with the additions. @throws UsageError if a place is missing */
export function withSlice(module: string, { imports, binds, routes }: ModuleAdditions): string {
  const insertions = [
    ...(imports.length === 0 ? [] : [importsInto(module, imports)]),
    ...(binds.length === 0 ? [] : [bindsInto(module, binds)]),
    ...(routes.length === 0 ? [] : [routesInto(module, routes)]),
  ];
  return insertions
    .toSorted((a, b) => b.at - a.at)
    .reduce((text, { at, added }) => text.slice(0, at) + added + text.slice(at), module);
}

/** Does the module use that name, outside strings and comments? */
export function uses(module: string, name: string): boolean {
  return codeAt(module, new RegExp(`(?<![\\w$])${name}(?![\\w$])`, "y")) !== undefined;
}

interface Insertion {
  readonly at: number;
  readonly added: string;
}

function importsInto(module: string, imports: readonly string[]): Insertion {
  const last = [...module.matchAll(/^import\b(?![.(])/gm)].at(-1);
  if (last === undefined) throw missing("no import");
  return { at: endOfImport(module, last.index), added: imports.map((line) => `\n${line}`).join("") };
}

/** The end of the line that contains the module's name. */
function endOfImport(module: string, start: number): number {
  let at = start;
  while (at < module.length && !/["']/.test(module.charAt(at))) at = behindText(module, at) ?? at + 1;
  const line = module.indexOf("\n", behindText(module, at) ?? at);
  return line < 0 ? module.length : line;
}

function bindsInto(module: string, binds: readonly string[]): Insertion {
  const start = codeAt(module, /\bBeans\s*\.\s*builder\s*(?=\()/y);
  if (start === undefined) throw missing("no Beans.builder()");
  let at = behindBrackets(module, start);
  for (let call = nextCall(module, at); call !== undefined; call = nextCall(module, at))
    at = behindBrackets(module, call);
  return { at, added: binds.map((call) => `\n    ${call}`).join("") };
}

/** The position of the opening bracket of the next call in a chain. */
function nextCall(module: string, at: number): number | undefined {
  let dot = at;
  while (/[\s/]/.test(module.charAt(dot))) dot = behindText(module, dot) ?? dot + 1;
  const call = /\.\s*[\w$]+\s*(?:<[^()]*>\s*)?(?=\()/y;
  call.lastIndex = dot;
  return call.test(module) ? call.lastIndex : undefined;
}

function routesInto(module: string, routes: readonly string[]): Insertion {
  const parameters = codeAt(module, /\bfunction\s+addRoutes\s*(?=\()/y);
  if (parameters === undefined) throw missing("no function addRoutes(app)");
  const behind = behindBrackets(module, parameters);
  const app = /[\w$]+/.exec(module.slice(parameters, behind))?.[0];
  const open = module.indexOf("{", behind);
  if (app === undefined || open < 0) throw missing("no function addRoutes(app)");
  const close = behindBrackets(module, open) - 1;
  const at = module.slice(0, close).trimEnd().length;
  const added = routes.map((line) => `\n  ${line.replaceAll("$app", () => app)}`).join("");
  return { at, added: module.slice(at, close).includes("\n") ? added : `${added}\n` };
}

/** The end of the first match of `pattern` (sticky) outside strings and comments. */
function codeAt(text: string, pattern: RegExp): number | undefined {
  for (let at = 0; at < text.length;) {
    const behind = behindText(text, at);
    pattern.lastIndex = at;
    if (behind === undefined && pattern.test(text)) return pattern.lastIndex;
    at = behind ?? at + 1;
  }
  return undefined;
}

/** The position after the bracket that closes the one at `open`. */
function behindBrackets(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length;) {
    const behind = behindText(text, at);
    if (behind === undefined && "([{".includes(text.charAt(at))) depth += 1;
    if (behind === undefined && ")]}".includes(text.charAt(at)) && --depth === 0) return at + 1;
    at = behind ?? at + 1;
  }
  throw missing("a bracket that nothing closes");
}

const texts = [
  /\/\/[^\n]*/y,
  /\/\*[^]*?\*\//y,
  /"(?:\\[^]|[^"\\\n])*"/y,
  /'(?:\\[^]|[^'\\\n])*'/y,
  /`(?:\\[^]|[^`\\])*`/y,
] as const;

/** The position after the string or comment that starts at `at`, or undefined if none does. */
function behindText(text: string, at: number): number | undefined {
  for (const pattern of texts) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return pattern.lastIndex;
  }
  return undefined;
}

const missing = (what: string): UsageError =>
  new UsageError(`src/module.ts has ${what}: put its beans and routes back as \`framework new\` wrote them`);

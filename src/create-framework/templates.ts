/**
 * Templates: plain files with {{placeholders}}, in layers on top of one another.
 *
 *   templates/app ──▶ templates/devtools ──▶ files of the project
 *
 * If two layers have a file of one name, JSON is merged, Markdown is appended, anything else is replaced. A leading underscore
 * protects a name that npm would otherwise act on: `_gitignore`, `_package.json`.
 *
 * Lines between `// {{if redis}}`, `// {{else}}` and `// {{end}}` are for projects with that choice, or without it. `#` and ` *`
 * begin such a line too, and `{{if !redis}}` is the opposite.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

/** Path inside the project, with `/`, and content. */
export type Files = ReadonlyMap<string, string>;

/** The files of `layers` (absolute folders), lowest first, with every placeholder filled in, for these choices. */
export function render(
  layers: readonly string[],
  values: Readonly<Record<string, string>>,
  choices: readonly string[] = [],
): Files {
  const files = new Map<string, string>();
  for (const layer of layers) {
    for (const [path, content] of filesOf(layer)) {
      const under = files.get(path);
      const filled = fill(chosen(content, path, choices), path, values);
      files.set(path, under === undefined ? filled : laid(path, under, filled));
    }
  }
  return files;
}

function filesOf(layer: string): [path: string, content: string][] {
  return readdirSync(layer, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [projectPath(file.slice(layer.length + 1)), readFileSync(file, "utf8")]);
}

function projectPath(templatePath: string): string {
  return templatePath
    .split(sep)
    .map((part) => part.replace(/^_(?=package\.json$)/, "").replace(/^_/, "."))
    .join("/");
}

const condition = /^(?:\/\/|#|\*|<!--)? ?\{\{(?:if (!?)([a-z]+)|(else)|end)\}\}(?: -->)?$/;

/** The lines for these choices. */
function chosen(content: string, path: string, choices: readonly string[]): string {
  const open: boolean[] = [];
  const lines = content.split("\n").filter((line) => {
    const found = condition.exec(line.trim());
    if (found === null) return open.every(Boolean);
    const [, not, choice, isElse] = found;
    if (choice !== undefined) open.push(choices.includes(choice) === (not === ""));
    else if (open.length === 0) throw new Error(`the template of ${path} has an else or an end without its if`);
    else if (isElse === undefined) open.pop();
    else open.push(open.pop() === false);
    return false;
  });
  if (open.length > 0) throw new Error(`the template of ${path} has an if without its end`);
  return lines.join("\n");
}

function fill(content: string, path: string, values: Readonly<Record<string, string>>): string {
  return content.replace(/\{\{([a-z]+)\}\}/g, (placeholder, key: string) => {
    const value = values[key];
    if (value === undefined) throw new Error(`the template of ${path} wants ${placeholder}, which nothing fills in`);
    return value;
  });
}

function laid(path: string, under: string, over: string): string {
  if (path.endsWith(".json")) return `${JSON.stringify(merged(JSON.parse(under), JSON.parse(over)), undefined, 2)}\n`;
  return path.endsWith(".md") ? `${under}\n${over}` : over;
}

function merged(under: unknown, over: unknown): unknown {
  if (!isRecord(under) || !isRecord(over)) return over;
  const members = Object.entries(over).map(([key, value]) => [key, merged(under[key], value)] as const);
  return { ...under, ...Object.fromEntries(members) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

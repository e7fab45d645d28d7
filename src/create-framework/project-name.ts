/**
 * Project names, and the folder of a new project: one word that is valid for a folder, a package, an image and a Kubernetes object.
 *
 * The narrowest of the four is the DNS label (RFC 1123) of Kubernetes, so that is the rule.
 */
import { basename, resolve } from "node:path";
import { UsageError } from "./errors.ts";

const MAX_LENGTH = 63;
/** A package with such a name could not import the dependency of the same name. */
const taken: ReadonlySet<string> = new Set(["framework", "typescript"]);

/** Where a new project goes, and what it is called. */
export interface ProjectTarget {
  /** Absolute. */
  readonly folder: string;
  /** The name of its image and its Kubernetes objects. */
  readonly name: string;
  /** The name of its package, with its scope. */
  readonly packageName: string;
}

/**
 * The target that `given` names: `shop`, a path, `.`, or `@scope/shop` for a folder `shop` with a package in that scope.
 *
 * @throws UsageError if the last part is no project name
 */
export function projectTarget(given: string, parent: string): ProjectTarget {
  const [, scope, scoped] = /^(@[a-z0-9][a-z0-9._-]*)\/([^/]*)$/.exec(given) ?? [];
  const folder = resolve(parent, scoped ?? given);
  const name = projectName(/^\.{0,2}$/.test(given) || given.includes("/") ? basename(folder) : given);
  return { folder, name, packageName: scope === undefined ? name : `${scope}/${name}` };
}

/** `name`, if a project can have it. @throws UsageError saying what is allowed */
export function projectName(name: string): string {
  if (!isLabel(name)) {
    const rule = `lower-case letters, digits and hyphens, a letter first, at most ${MAX_LENGTH} characters`;
    throw new UsageError(`${JSON.stringify(name)} is no project name: ${rule}${suggestion(name)}`);
  }
  if (taken.has(name))
    throw new UsageError(`a project cannot be called ${JSON.stringify(name)}: another package has that name`);
  return name;
}

function isLabel(name: string): boolean {
  return /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/.test(name) && name.length <= MAX_LENGTH;
}

/** The nearest allowed name, if there is one. */
function suggestion(name: string): string {
  const near = name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .replace(/-$/, "");
  return isLabel(near) ? `; ${JSON.stringify(near)} would do` : "";
}

/**
 * Router: finds the value registered for a method and a path.
 *
 *   path ──▶ table of the method ──▶ static? one Map lookup
 *                                └─▶ else the radix tree: literal, then {name}, then *name, with backtracking
 *
 * Hot path: `find` allocates the list of parameter values and nothing else.
 *
 * Spec: spec/routing.md
 */
import { usageError } from "../internal/usage-errors.ts";
import { parsePattern, type Pattern } from "./pattern.ts";
import { isSeparator } from "./path.ts";

/** A match: the registered value, and the raw values of the parameters in order. */
export interface Match<T> {
  readonly target: T;
  readonly values: readonly string[];
}

interface Leaf<T> {
  readonly pattern: Pattern;
  readonly target: T;
  /** Ends in `*name`. */
  readonly isWild: boolean;
}

interface Node<T> {
  prefix: string;
  readonly children: Map<number, Node<T>>;
  leaf: Leaf<T> | undefined;
  param: Node<T> | undefined;
  paramName: string;
  paramOf: string;
  wild: Leaf<T> | undefined;
}

interface Table<T> {
  readonly literals: Map<string, Match<T>>;
  readonly root: Node<T>;
  dynamic: boolean;
}

const none: readonly string[] = [];

const nodeOf = <T>(prefix: string): Node<T> => ({
  prefix,
  children: new Map(),
  leaf: undefined,
  param: undefined,
  paramName: "",
  paramOf: "",
  wild: undefined,
});

/** Routes of every method. */
export class Router<T> {
  readonly #tables: Map<string, Table<T>> = new Map();
  readonly #strictSlash: boolean;

  constructor(strictSlash = false) {
    this.#strictSlash = strictSlash;
  }

  /**
   * Adds a route and returns its pattern in canonical form.
   *
   * @throws TypeError on a bad pattern, a duplicate, and two parameter names at one position.
   */
  add(method: string, text: string, target: T): Pattern {
    const pattern = parsePattern(text, this.#strictSlash);
    let table = this.#tables.get(method);
    if (table === undefined) {
      table = { literals: new Map(), root: nodeOf<T>(""), dynamic: false };
      this.#tables.set(method, table);
    }
    if (pattern.names.length === 0) {
      if (table.literals.has(pattern.text)) throw duplicate(method, pattern.text, pattern.text);
      table.literals.set(pattern.text, { target, values: none });
    } else {
      insert(table.root, method, pattern, target);
      table.dynamic = true;
    }
    return pattern;
  }

  /** The methods that have routes, in registration order. */
  get methods(): Iterable<string> {
    return this.#tables.keys();
  }

  /** The route for a method and a decoded path. The value of a `*name` keeps its empty segments and its trailing slash. */
  find(method: string, path: string): Match<T> | undefined {
    const table = this.#tables.get(method);
    if (table === undefined) return undefined;
    const trimmed = this.#strictSlash ? path : withoutSlash(path);
    const literal = table.literals.get(trimmed);
    if (literal !== undefined || !table.dynamic) return literal;
    const values: string[] = [];
    const leaf = walk(table.root, trimmed, 0, values);
    if (leaf === undefined) return undefined;
    if (trimmed.length < path.length && leaf.isWild) values.push(`${values.pop() ?? ""}/`);
    return { target: leaf.target, values };
  }
}

/** The path without one trailing slash, for comparison when `/a/` equals `/a`. */
export function withoutSlash(path: string): string {
  const last = path.length - 1;
  const hasSlash = last > 0 && path.charCodeAt(last) === 47 && path.charCodeAt(last - 1) !== 47;
  return hasSlash ? path.slice(0, last) : path;
}

function walk<T>(node: Node<T>, path: string, at: number, values: string[]): Leaf<T> | undefined {
  if (at === path.length) return node.leaf;
  const child = node.children.get(path.charCodeAt(at));
  if (child !== undefined && path.startsWith(child.prefix, at)) {
    const found = walk(child, path, at + child.prefix.length, values);
    if (found !== undefined) return found;
  }
  if (node.param !== undefined) {
    const slash = path.indexOf("/", at);
    const end = slash < 0 ? path.length : slash;
    if (end > at) {
      const depth = values.push(path.slice(at, end));
      const found = walk(node.param, path, end, values);
      if (found !== undefined) return found;
      values.length = depth - 1;
    }
  }
  if (node.wild === undefined) return undefined;
  const code = path.charCodeAt(at);
  if (code === 47 || (code >= 0xd800 && isSeparator(path, at))) return undefined;
  values.push(path.slice(at));
  return node.wild;
}

const duplicate = (method: string, text: string, earlier: string): TypeError =>
  usageError("ROUTE_DUPLICATE", `${method} ${text} is registered already${earlier === text ? "" : ` as ${earlier}`}`);

function insert<T>(root: Node<T>, method: string, pattern: Pattern, target: T): void {
  const leaf: Leaf<T> = { pattern, target, isWild: pattern.isWild };
  let node = root;
  for (const part of pattern.text.split(/(\{[^{}]*\}|\*.*)/)) {
    if (part === "") continue;
    if (part.startsWith("*")) {
      if (node.wild !== undefined) throw duplicate(method, pattern.text, node.wild.pattern.text);
      node.wild = leaf;
      return;
    }
    node = part.startsWith("{") ? paramChild(node, part.slice(1, -1), method, pattern.text) : literalChild(node, part);
  }
  if (node.leaf !== undefined) throw duplicate(method, pattern.text, node.leaf.pattern.text);
  node.leaf = leaf;
}

function paramChild<T>(node: Node<T>, name: string, method: string, text: string): Node<T> {
  if (node.param === undefined) {
    node.param = nodeOf("");
    node.paramName = name;
    node.paramOf = text;
  } else if (node.paramName !== name) {
    const clash = `names a parameter {${name}} where ${node.paramOf} names it {${node.paramName}}: use one name`;
    throw usageError("ROUTE_NAMES", `${method} ${text} ${clash}`);
  }
  return node.param;
}

/** The node that `text` leads to. Splits an edge when only a part of it matches. */
function literalChild<T>(start: Node<T>, text: string): Node<T> {
  let node = start;
  let rest = text;
  while (rest !== "") {
    const child = node.children.get(rest.charCodeAt(0));
    if (child === undefined) {
      const added = nodeOf<T>(rest);
      node.children.set(rest.charCodeAt(0), added);
      return added;
    }
    const shared = sharedLength(child.prefix, rest);
    if (shared < child.prefix.length) {
      const upper = nodeOf<T>(child.prefix.slice(0, shared));
      child.prefix = child.prefix.slice(shared);
      upper.children.set(child.prefix.charCodeAt(0), child);
      node.children.set(upper.prefix.charCodeAt(0), upper);
      node = upper;
    } else {
      node = child;
    }
    rest = rest.slice(shared);
  }
  return node;
}

function sharedLength(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a.charCodeAt(i) === b.charCodeAt(i)) i += 1;
  return i;
}

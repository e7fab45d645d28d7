/**
 * Holds the specification together: clause ⇔ requirement, every reference resolves, every shape compiles.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { readClauses, readDecisions, readSections, readUnspecified } from "./clauses.ts";
import { requirements, type Requirement } from "./requirements.ts";

// No chapters of clauses: how to read them, why they say what they say, and the contract of the suite's own app.
const prose = ["README.md", "decisions.md", "subject.md"];

// Compiled to .build/spec/: the chapters stay where they are written.
const compiled = dirname(fileURLToPath(import.meta.url));
const folder = join(compiled, "..", "..", "spec");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");
const chapters = readdirSync(folder).filter((name) => name.endsWith(".md") && !prose.includes(name));
const clauses = chapters.flatMap((name) => readClauses(name, read(name)));
const decisions = readDecisions(read("decisions.md"));
const sections = readSections(read("README.md"));
const schemas = await loadSchemas();
const entries: readonly (readonly [string, Requirement])[] = Object.entries(requirements);

/** Every exported value with an `$id`, of every module of this folder. */
async function loadSchemas(): Promise<ReadonlyMap<string, object>> {
  const found = new Map<string, object>();
  const names = readdirSync(compiled).filter((name) => /^[a-z-]+\.js$/.test(name));
  for (const name of names) {
    const module = (await import(pathToFileURL(join(compiled, name)).href)) as Record<string, unknown>;
    for (const value of Object.values(module)) {
      if (typeof value === "object" && value !== null && "$id" in value) found.set(String(value.$id), value);
    }
  }
  return found;
}

const duplicates = (names: readonly string[]): readonly string[] =>
  names.filter((name, at) => names.indexOf(name) !== at);

describe("requirements", () => {
  it("holds the clauses of every chapter, and nothing else", () => {
    assert.ok(clauses.length > 0, "no clause was found");
    assert.deepEqual(clauses.map(({ id }) => id).toSorted(), entries.map(([id]) => id).toSorted());
  });

  it("gives each clause the level that its sentence states", () => {
    const stated = Object.fromEntries(clauses.map(({ id, level }) => [id, level]));
    assert.deepEqual(Object.fromEntries(entries.map(([id, { level }]) => [id, level])), stated);
  });

  it("names only schemas that exist", () => {
    const missing = entries.flatMap(([, { schema }]) => (schema !== undefined && !schemas.has(schema) ? [schema] : []));
    assert.deepEqual(missing, []);
  });

  it("uses every schema", () => {
    const used = new Set(entries.map(([, { schema }]) => schema));
    // Those that a chapter lists in a table of its own.
    const [contract, tools] = [read("subject.md"), read("agents.md")];
    const isListed = (id: string): boolean => (id.startsWith("Subject") ? contract : tools).includes(`\`${id}\``);
    const unused = (id: string): boolean => (/^(?:Subject|Agent)/.test(id) ? !isListed(id) : !used.has(id));
    assert.deepEqual([...schemas.keys()].filter(unused), []);
  });
});

describe("the chapters", () => {
  it("use each id once, each with a sentence and an origin", () => {
    assert.deepEqual(duplicates(clauses.map(({ id }) => id)), []);
    assert.deepEqual(
      clauses.flatMap(({ id, problem }) => (problem === undefined ? [] : [`${id}: ${problem}`])),
      [],
    );
  });

  it("oblige to one thing each", () => {
    const several = clauses.filter(({ sentence }) => (sentence.match(/\bMUST\b/g) ?? []).length > 1);
    assert.deepEqual(
      several.map(({ id }) => id),
      [],
    );
  });

  it("refer only to sections of the source that exist", () => {
    assert.ok(sections.size > 0, "no section was found");
    assert.deepEqual(
      clauses.flatMap(({ id, sources }) =>
        sources.filter((name) => name.startsWith("§") && !sections.has(name)).map((name) => `${id}: ${name}`),
      ),
      [],
    );
  });

  it("refer only to decisions that are written down", () => {
    const used = new Set(clauses.flatMap((clause) => clause.decisions));
    assert.deepEqual([...used].filter((name) => !decisions.has(name)).toSorted(), []);
    assert.deepEqual(
      [...decisions].filter(([, text]) => text === "").map(([name]) => name),
      [],
    );
    const written = read("decisions.md").match(/^### .+/gm) ?? [];
    assert.deepEqual([...new Set(written)], written);
  });
});

describe("the schemas", () => {
  it("compile under JSON Schema 2020-12 in Ajv's strict mode", () => {
    const ajv = new Ajv2020({ strict: true, allErrors: true });
    for (const schema of schemas.values()) ajv.addSchema(schema);
    for (const id of schemas.keys()) assert.equal(typeof ajv.getSchema(id), "function", id);
  });
});

describe("readClauses", () => {
  const good = "### HEALTH-001\nIt MUST\nbe.\nSource: §4.2, §7\n";

  it("reads the sentence, its level and its origin", () => {
    assert.deepEqual(readClauses("x.md", good), [
      {
        id: "HEALTH-001",
        sentence: "It MUST be.",
        level: "MUST",
        origin: "source",
        sources: ["§4.2", "§7"],
        decisions: [],
        problem: undefined,
      },
    ]);
  });

  const bad: Readonly<Record<string, readonly [text: string, problem: string]>> = {
    "no level": ["### A-001\nIt is.\nSource: §1\n", "no MUST, SHOULD or MAY"],
    "no origin": ["### A-001\nIt MUST be.\n", "neither Source nor Decision"],
    "no sentence": ["### A-001\nSource: §1\n", "no sentence"],
    "an id that is no id": ["### A-1\nIt MUST be.\nSource: §1\n", "the id is not AREA-NNN"],
  };
  for (const [what, [text, problem]] of Object.entries(bad)) {
    it(`reports ${what}`, () => {
      assert.equal(readClauses("x.md", text)[0]?.problem, problem);
    });
  }
});

describe("readUnspecified", () => {
  it("reads what a chapter leaves open, in which ways, and why", () => {
    const rows = "| `Run.took` | one more · zero | nobody can know |\n| `Run.parts…` | all | in process only |\n";
    const markdown = `### A-001\nIt MUST be.\nSource: §1\n\n## Unspecified\n\n| What | How | Why |\n|---|---|---|\n${rows}\n## Other\n\n| \`x\` | all | no |\n`;
    assert.deepEqual(readUnspecified(markdown), [
      { target: "Run.took", kinds: ["one more", "zero"], why: "nobody can know" },
      { target: "Run.parts…", kinds: [], why: "in process only" },
    ]);
    assert.deepEqual(readUnspecified("### A-001\nIt MUST be.\n"), []);
  });
});

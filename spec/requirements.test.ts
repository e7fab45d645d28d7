/**
 * Checks the specification as a whole: every reference resolves, every shape is used and compiles.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isChapter, readClauses, readSections, readUnspecified } from "./clauses.ts";
import { featureNames } from "./subject.ts";

// This file is compiled to .build/spec/, but the chapters stay in spec/.
const compiled = dirname(fileURLToPath(import.meta.url));
const folder = join(compiled, "..", "..", "spec");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");
const chapters = readdirSync(folder).filter(isChapter);
const clauses = chapters.flatMap((name) => readClauses(name, read(name)));
const sections = readSections(read("README.md"));
const schemas = await loadSchemas();

/** Every exported value with an `$id`, from every module of this folder. */
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

describe("the chapters", () => {
  it("use each id once, each with a sentence and a line of facts", () => {
    assert.deepEqual(duplicates(clauses.map(({ id }) => id)), []);
    assert.deepEqual(
      clauses.flatMap(({ id, problem }) => (problem === undefined ? [] : [`${id}: ${problem}`])),
      [],
    );
  });

  it("contain one obligation in each clause", () => {
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

  it("name only features that a subject may lack", () => {
    const known: readonly string[] = featureNames;
    assert.deepEqual(
      clauses.flatMap(({ id, features }) =>
        features.filter((name) => !known.includes(name)).map((name) => `${id}: ${name}`),
      ),
      [],
    );
  });

  it("name only existing shapes, and every shape that is sent over the wire", () => {
    const used = new Set(clauses.flatMap(({ schema }) => schema ?? []));
    assert.deepEqual(
      [...used].filter((id) => !schemas.has(id)),
      [],
    );
    const listed = [read("subject.md"), read("README.md")].join("\n");
    const unused = [...schemas.keys()].filter((id) => !used.has(id) && !listed.includes(`\`${id}\``));
    assert.deepEqual(unused, []);
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
  const read = (text: string) => readClauses("x.md", text);

  it("reads a clause with a citation, a house clause, and one for a browser", () => {
    const text = [
      "### HEALTH-001\nIt MUST\nbe.\nwire · auth · HealthResult · §4.2 · RFC 9110 §15.5.1\n",
      "### A-002\nIt MAY be.\nevidence · house · §7\n> Why: nobody\n> says.\n",
      "- DASH-003: It SHOULD be.\n- DASH-004: It MUST\n  be.\n",
    ];
    const common = { features: [], schema: undefined, sources: [], why: undefined, problem: undefined };
    assert.deepEqual(read(text.join("\n")), [
      {
        ...common,
        id: "HEALTH-001",
        sentence: "It MUST be.",
        level: "MUST",
        surface: "wire",
        features: ["auth"],
        schema: "HealthResult",
        origin: "source",
        sources: ["§4.2", "RFC 9110 §15.5.1"],
      },
      {
        ...common,
        id: "A-002",
        sentence: "It MAY be.",
        level: "MAY",
        surface: "evidence",
        origin: "house",
        sources: ["§7"],
        why: "nobody says.",
      },
      { ...common, id: "DASH-003", sentence: "It SHOULD be.", level: "SHOULD", surface: "page", origin: "house" },
      { ...common, id: "DASH-004", sentence: "It MUST be.", level: "MUST", surface: "page", origin: "house" },
    ]);
  });

  const bad: Readonly<Record<string, readonly [text: string, problem: string]>> = {
    "no level": ["### A-001\nIt is.\nwire\n", "no MUST, SHOULD or MAY"],
    "no surface": ["### A-001\nIt MUST be.\n", "no line that begins with its surface"],
    "no sentence": ["### A-001\nwire\n", "no sentence"],
    "a word that means nothing": ["### A-001\nIt MUST be.\nwire · RFC x\n", "refers to nothing: RFC x"],
    "an id that is no id": ["### A-1\nIt MUST be.\nwire\n", "the id is not AREA-NNN"],
  };
  for (const [what, [text, problem]] of Object.entries(bad)) {
    it(`reports ${what}`, () => {
      assert.equal(read(text)[0]?.problem, problem);
    });
  }
});

describe("readUnspecified", () => {
  it("reads what a chapter leaves open, with the ways and the reason", () => {
    const rows = "| `Run.took` | one more · zero | nobody can know |\n| `Run.parts…` | all | in process only |\n";
    const markdown = `### A-001\nIt MUST be.\nwire\n\n## Unspecified\n\n| What | How | Why |\n|---|---|---|\n${rows}\n## Other\n\n| \`x\` | all | no |\n`;
    assert.deepEqual(readUnspecified(markdown), [
      { target: "Run.took", kinds: ["one more", "zero"], why: "nobody can know" },
      { target: "Run.parts…", kinds: [], why: "in process only" },
    ]);
    assert.deepEqual(readUnspecified("### A-001\nIt MUST be.\n"), []);
  });
});

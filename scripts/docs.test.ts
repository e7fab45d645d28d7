/**
 * Proves that the documentation's check can fail, and applies it to the documentation.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";

interface Block {
  readonly language: string;
  readonly line: number;
  readonly marks: Readonly<Record<string, string>>;
  readonly code: string;
  readonly setup: { readonly line: number; readonly code: string } | undefined;
}
interface Report {
  readonly checked: number;
  readonly failures: readonly string[];
}

// The script is a plain module that needs no build, so this compiled file loads it by URL.
const root = new URL("../../", import.meta.url);
const { checkPages, pages } = (await import(new URL("scripts/docs/check.mjs", root).href)) as {
  checkPages: (texts: ReadonlyMap<string, string>) => Promise<Report>;
  pages: () => ReadonlyMap<string, string>;
};
const { blocksOf, commandsOf, malformed, promisedOutput } = (await import(
  new URL("scripts/docs/blocks.mjs", root).href
)) as {
  blocksOf: (page: string, text: string) => readonly Block[];
  commandsOf: (code: string) => readonly { command: string; expected: readonly string[] }[];
  malformed: (block: Block) => string | undefined;
  promisedOutput: (code: string) => readonly string[];
};

const { unclearIn } = (await import(new URL("scripts/plain-words.mjs", root).href)) as {
  unclearIn: (text: string) => readonly string[];
};
const read = (name: string): string => readFileSync(new URL(name, root), "utf8");

const block = (info: string, code: string): string => ["```" + info, code, "```", ""].join("\n");
const first = (text: string): Block => {
  const [found] = blocksOf("a.md", text);
  assert.ok(found);
  return found;
};

describe("blocksOf", () => {
  it("reads language, marks, line and the hidden setup", () => {
    const text = `# A\n\n<!-- setup\nconst a = 1;\n-->\n${block('ts run only="two words"', "a;")}`;
    const { language, marks, line, code, setup } = first(text);
    assert.deepEqual([language, marks, line, code], ["ts", { run: "", only: "two words" }, 7, "a;"]);
    assert.deepEqual(setup, { line: 4, code: "const a = 1;" });
  });

  it("rejects a block that is not closed", () => {
    assert.throws(() => blocksOf("a.md", "```ts\nlet a;\n"), /a\.md:1: a code block that is not closed/);
  });
});

describe("malformed", () => {
  const refused = {
    "a block without a language": block("", "x"),
    "a language that nobody checks": block("ruby", "x"),
    "an unknown mark": block("ts runs", "x"),
    "JavaScript that nobody runs": block("js", "x"),
    "a skip without a reason": block('ts skip=""', "x"),
    "a program that nobody runs": block("ts", "await app.start(8080);"),
    "promised output that nobody compares": block("ts", "console.log(1); // 1"),
  };
  for (const [name, text] of Object.entries(refused))
    it(`rejects ${name}`, () => assert.equal(typeof malformed(first(text)), "string"));

  it("accepts a block with a reason for not running it", () => {
    assert.equal(malformed(first(block('ts only="needs a database"', "await app.start(1);"))), undefined);
    assert.equal(malformed(first(block('ruby skip="for comparison"', "x"))), undefined);
  });
});

describe("promisedOutput and commandsOf", () => {
  it("read the text after console.log, and the lines after a command", () => {
    assert.deepEqual(promisedOutput("console.log(1); // 1\nfoo(); // no\n  console.log(a(2)) // b c"), ["1", "b c"]);
    assert.deepEqual(
      commandsOf("# a remark\ncurl a \\\n  -d b\n# → yes\n# → no\nls").map(({ command, expected }) => [
        command,
        expected,
      ]),
      [
        ["curl a \\\n  -d b", ["yes", "no"]],
        ["ls", []],
      ],
    );
  });
});

describe("checkPages", () => {
  const check = (text: string): Promise<Report> => checkPages(new Map([["docs/made-up.md", text]]));
  const failing: Record<string, [text: string, sentence: RegExp]> = {
    "no block at all": ["# Nothing", /no code block was found/],
    "a type error, with its line in the page": [`\n\n${block("ts", 'const a: number = "x";')}`, /line 4: error TS2322/],
    "a block that throws": [block("ts run", 'throw new Error("broken");'), /exit code 1[^]*broken/],
    "a promised line that is not printed": [block("ts run", "console.log(1 + 1); // 3"), /prints no line "3"/],
    "a lost make verb": [block("sh", "make nonsense"), /no make verb nonsense/],
    "a lost npm script": [block("sh", "npm run nonsense"), /no npm script nonsense/],
    "a lost file": [block("sh", "node .build/nonsense.js"), /no file \.build\/nonsense\.js/],
    "no command": [block("sh", "# later"), /holds no command/],
    "a command that fails": [block("sh run", "true\nfalse"), /line 3: exit code 1/],
    "an output that lacks what was promised": [block("sh run", "echo one\n# → two"), /lacks "two"/],
    "commands for a server that is not there": [block("sh on=above", "curl localhost:8080"), /started no server/],
    "JSON that is none": [block("json", "{ a: 1 }"), /is no json/],
    "YAML that is none": [block("yaml", "a: [1"), /is no yaml/],
    "a link to no heading": [
      `[a](../README.md#nowhere)\n${block("json", "1")}`,
      /#nowhere of README\.md, which has no/,
    ],
    "a link to nothing": [`[a](nowhere.md)\n${block("json", "1")}`, /a link to nowhere\.md/],
  };
  for (const [name, [text, sentence]] of Object.entries(failing))
    it(`fails on ${name}`, async () => {
      const { failures } = await check(text);
      assert.equal(failures.length, 1);
      assert.match(String(failures[0]), sentence);
    });

  it("runs shell commands against the block above, for any port that it names", async () => {
    const app =
      'import { Framework } from "framework";\nconst app = Framework.create();\napp.get("/hi", () => "hello");\nawait app.start(8080);';
    const text = block("ts run", app) + block("sh on=above", "curl -s localhost:8080/hi\n# → hello");
    assert.deepEqual(await check(text), { checked: 2, failures: [] });
  });

  it("skips a block with a reason", async () => {
    assert.deepEqual(await check(block('js skip="Express"', "x") + block("json", "1")), { checked: 1, failures: [] });
  });
});

describe("docs/migrating-from-fastify.md", () => {
  /** Plugins without code to show: one line of the table is enough. */
  const told = ["http-proxy", "reply-from", "postgres", "mongodb", "autoload", "env"].map((name) => `@fastify/${name}`);

  it("shows before and after of every plugin in its table", () => {
    const text = pages().get(join("docs", "migrating-from-fastify.md")) ?? "";
    const blocks = blocksOf("docs/migrating-from-fastify.md", text);
    const [, table = ""] = text.split("## Plugin by plugin");
    const cells = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = ""]) => cell.split(", "));
    const plugins = cells.map((cell) => `@fastify/${cell.replaceAll("`", "").replace("@fastify/", "")}`);
    const unshown = plugins.filter((plugin) => {
      const at = blocks.findIndex(({ marks }) => marks["skip"]?.split(/, | and | (?:is|are) /).includes(plugin));
      const after = blocks[at + 1];
      return at < 0 || after === undefined || "skip" in after.marks;
    });
    assert.deepEqual(unshown, told);
    assert.ok(plugins.length > 25, `${plugins.length} plugins`);
  });
});

describe("the documentation", () => {
  it("does without the words that make a reader stumble", () => {
    const more = [
      "CONTRIBUTING.md",
      "SECURITY.md",
      ...readdirSync(new URL("spec/", root)).map((name) => `spec/${name}`),
    ];
    const others = more.filter((name) => name.endsWith(".md")).map((name) => [name, read(name)] as const);
    const texts = new Map([...pages(), ...others]);
    const found = [...texts].flatMap(([page, text]) => {
      const prose = text.replaceAll(/^```[^]*?^```|<!--[^]*?-->|`[^`]*`/gm, "x");
      return unclearIn(prose).map((one) => `${page}: ${one}`);
    });
    assert.deepEqual(found, []);
    assert.ok(texts.size > 80, `${texts.size} pages`);
  });

  // It starts about fifty programs.
  it("keeps what every code block promises", { timeout: 840_000 }, async () => {
    const { checked, failures } = await checkPages(pages());
    assert.deepEqual(failures, []);
    assert.ok(checked > 20, `${checked} blocks`);
  });
});

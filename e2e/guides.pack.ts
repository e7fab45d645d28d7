/**
 * The guides' commands, typed as written: the blocks marked `sh typed` of a page, in order, by a reader who has this clone in
 * `framework/` and nothing else.
 *
 *   page ──▶ files that it tells to write (`file=`) ──▶ commands ──▶ what is promised (`# →`) is printed
 *                                                         └─ one that serves is left running, as in a second window,
 *                                                            until the page's next block that does not ask it
 *
 * Ports are replaced by free ones. `make pack` and `make build` are not run again: `make pack-test` begins with them, and other
 * tests read their output.
 */
import { expect, test } from "@playwright/test";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { freePort } from "../test/free-port.ts";
import { Sandbox, type Program } from "./sandbox.ts";

interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly marks: Readonly<Record<string, string>>;
  readonly code: string;
}
interface Command {
  readonly command: string;
  readonly expected: readonly string[];
}

const root = join(import.meta.dirname, "..");
// Plain modules that need no build: loaded by URL, like the documentation's own check.
const { blocksOf, commandsOf } = (await import(pathToFileURL(join(root, "scripts", "docs", "blocks.mjs")).href)) as {
  blocksOf: (page: string, text: string) => readonly Block[];
  commandsOf: (code: string) => readonly Command[];
};
const { pages } = (await import(pathToFileURL(join(root, "scripts", "docs", "check.mjs")).href)) as {
  pages: () => ReadonlyMap<string, string>;
};

const isTyped = ({ language, marks }: Block): boolean => language === "sh" && "typed" in marks;

// One after another, since `make dev` builds what other pages start.
test.describe.configure({ mode: "default" });
test.setTimeout(200_000);

// One for all pages: npm downloads the compiler once.
let sandbox: Sandbox;
test.beforeAll(() => {
  sandbox = new Sandbox();
});
test.afterAll(() => sandbox.dispose());

const typed = [...pages()].map(([page, text]) => [page, blocksOf(page, text)] as const);
for (const [page, blocks] of typed.filter(([, all]) => all.some(isTyped)))
  test(`${page}: its commands work`, async () => {
    await new Reader(sandbox, await freePorts()).follow(blocks);
  });

test("the guides that begin with nothing are typed", () => {
  const names = typed.filter(([, all]) => all.some(isTyped)).map(([page]) => page);
  expect(names).toEqual(expect.arrayContaining(["README.md", join("docs", "first-app.md")]));
});

/** A reader of a page, with a terminal in the clone. */
class Reader {
  readonly #sandbox: Sandbox;
  readonly #ports: ReadonlyMap<string, string>;
  readonly #clone: string;
  #folder: string;
  #serving: Program | undefined;

  constructor(sandbox: Sandbox, ports: ReadonlyMap<string, string>) {
    this.#sandbox = sandbox;
    this.#ports = ports;
    this.#clone = join(mkdtempSync(join(sandbox.folder, "page-")), "framework");
    this.#folder = this.#clone;
    symlinkSync(root, this.#clone, "junction");
  }

  async follow(blocks: readonly Block[]): Promise<void> {
    for (const block of blocks) {
      const { file } = block.marks;
      if (file !== undefined && this.#folder !== this.#clone) this.#write(file, block.code);
      else if (isTyped(block)) await this.#type(block);
    }
    await this.#serving?.stop();
  }

  #write(file: string, text: string): void {
    const path = join(this.#folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, this.#withPorts(text));
  }

  async #type({ page, line, code }: Block): Promise<void> {
    if (!code.includes("localhost:")) {
      await this.#serving?.stop();
      this.#serving = undefined;
    }
    for (const { command, expected } of commandsOf(code)) {
      if (command === "make pack" || command === "make build") continue;
      const output = await this.#run(this.#withPorts(command), `${page}:${line}`);
      for (const text of expected) expect(output, `${page}:${line} ${command}`).toContain(this.#withPorts(text));
    }
  }

  /** The output of the command until it ended, or until it served. */
  async #run(command: string, place: string): Promise<string> {
    // Each is a separate shell, which records its last folder, as `cd` would.
    const left = join(this.#sandbox.folder, `folder-${Date.now()}`);
    const script = `cd '${this.#folder}' && ${command}\ncode=$?; pwd > '${left}'; exit $code`;
    const port = this.#ports.get("8080") ?? "";
    const program = this.#sandbox.start(this.#sandbox.folder, ["sh", "-c", script], { PORT: port });
    const serves = (): Promise<boolean> => fetch(`http://localhost:${port}`).then(Boolean, () => false);
    const wasServed = this.#serving !== undefined;
    await expect.poll(async () => program.ended() || (!wasServed && (await serves())), polling).toBe(true);
    if (!program.ended()) {
      this.#serving = program;
      return program.output();
    }
    const code = await program.stop();
    expect(code, `${place} ${command}\n${program.output()}`).toBe(0);
    this.#folder = readFileSync(left, "utf8").trim();
    return program.output();
  }

  #withPorts(text: string): string {
    return text.replaceAll(/\b(?:8080|9100)\b/g, (port) => this.#ports.get(port) ?? port);
  }
}

const polling = { timeout: 120_000, intervals: [50] };

/** A free port for each one in the guides. */
async function freePorts(): Promise<ReadonlyMap<string, string>> {
  const named = ["8080", "9100"].map(async (port) => [port, String(await freePort())] as const);
  return new Map(await Promise.all(named));
}

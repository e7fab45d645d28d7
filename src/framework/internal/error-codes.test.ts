/** The codes, their table in docs/errors.md and the places that raise them are equal, in every direction. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { beanErrorCodes } from "../beans/errors.ts";
import { HttpError } from "./errors.ts";
import { errorCodes } from "./usage-errors.ts";
import * as framework from "../index.ts";

let root = new URL("../..", import.meta.url);
while (!existsSync(new URL("docs/errors.md", root)) && root.pathname !== "/") root = new URL("..", root);
const sections = readFileSync(new URL("docs/errors.md", root), "utf8").split(/^## /m);

/** The rows of the table in the section with that title: the first cell, and the next. */
function rows(title: string): Record<string, string> {
  const section = sections.find((text) => text.startsWith(`${title}\n`)) ?? assert.fail(`no section ${title}`);
  return Object.fromEntries(
    [...section.matchAll(/^\| `(\w+)` \| ([^|]+?) \|/gm)].map(([, key = "", cell = ""]) => [key, cell]),
  );
}

describe("docs/errors.md", () => {
  it("lists exactly the codes, with their meanings", () => {
    assert.deepEqual(rows("Mistakes"), errorCodes);
    assert.deepEqual(rows("Beans"), beanErrorCodes);
  });

  it("lists exactly the classes of responses, with their statuses", () => {
    const classes = Object.entries(framework).filter(
      ([, value]) => typeof value === "function" && value.prototype instanceof HttpError,
    );
    const statuses = classes.map(([name, type]) => {
      const error: unknown = Reflect.construct(
        type as new (argument: unknown) => HttpError,
        name.startsWith("Unproc") ? [[]] : [""],
      );
      return [name, String(error instanceof HttpError && error.status)];
    });
    assert.deepEqual(rows("Responses"), Object.fromEntries(statuses));
  });
});

describe("errorCodes", () => {
  it("are each raised in some place, and in alphabetical order", () => {
    const folder = new URL("src/framework/", root);
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".ts") && !name.includes(".test.") && !/^(?:dist|node_modules)\b/.test(name),
    );
    const text = sources.map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
    const raised = new Set([...text.matchAll(/\b(?:usageError|stateError)\(\s*"([A-Z_]+)"/g)].map(([, code]) => code));
    assert.deepEqual([...raised].toSorted(), Object.keys(errorCodes));
  });
});

/**
 * One suite's process: loads the given test files one after the other, so that they share a start-up.
 * A file that throws while loading becomes a failed test of its own instead of hiding the others.
 */
import { test } from "node:test";
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) {
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    test(`loads ${file}`, () => {
      throw error;
    });
  }
}

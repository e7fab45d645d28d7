/** The report as JUnit XML, for build servers. */
import type { Report, RequirementResult } from "./report-shape.ts";
import type { Suite } from "./suite.ts";

/** One test case per requirement. */
export function junit({ results, suite }: Report): string {
  const failures = results.filter(({ verdict }) => verdict === "fail").length;
  const errors = results.filter(({ verdict }) => verdict === "error").length;
  const skipped = results.filter(({ verdict }) => verdict === "n/a" || verdict === "unrun").length;
  const counts = `tests="${results.length}" failures="${failures}" errors="${errors}" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites><testsuite name="conformance" ${counts}${suite === undefined ? "" : ` timestamp="${suite.date}"`}>`,
    ...(suite === undefined ? [] : [properties(suite)]),
    ...results.map(testCase),
    "</testsuite></testsuites>",
    "",
  ].join("\n");
}

function properties({ version, commit, node }: Suite): string {
  const named = { "suite version": version, "suite commit": commit ?? "", node };
  const lines = Object.entries(named).map(([name, value]) => `<property name="${name}" value="${escape(value)}"/>`);
  return `<properties>${lines.join("")}</properties>`;
}

function testCase({ id, sentence, verdict, reason, cases }: RequirementResult): string {
  const open = `<testcase classname="${id.split("-")[0] ?? ""}" name="${escape(`${id} ${sentence}`)}"`;
  const text = escape(
    cases
      .flatMap((found) => (found.outcome === "held" ? [] : [found.title, found.reason ?? "", ...failedLines(found)]))
      .join("\n"),
  );
  if (verdict === "fail") return `${open}><failure>${text}</failure></testcase>`;
  if (verdict === "error") return `${open}><error>${text}</error></testcase>`;
  if (verdict === "n/a" || verdict === "unrun")
    return `${open}><skipped message="${escape(reason ?? "")}"/></testcase>`;
  return `${open}/>`;
}

/** Each failed exchange, with the command that repeats its request. */
function failedLines({ failed, commands = [] }: RequirementResult["cases"][number]): readonly string[] {
  return failed.flatMap((one, at) => [
    one,
    ...[commands[at] ?? ""].filter((command) => command !== "").map((command) => `$ ${command}`),
  ]);
}

function escape(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/**
 * Tools: all of them, in the agent's order, and the result of a call.
 *
 *   tools/call ──▶ inputs ──▶ run ──▶ structured content, and the same as text
 *                    └──────────┴───▶ an error sentence, after which the agent can correct the call
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { lineOf } from "../terminal/errors.ts";
import { printable } from "../terminal/printable.ts";
import type { JsonObject } from "../../run/shapes.ts";
import { getGraph, getHealth, listRoutes } from "./application-tools.ts";
import { inputSchemaOf, readInputs } from "./inputs.ts";
import { listJobs, replayRun, retryJob } from "./job-tools.ts";
import { fitted } from "./pages.ts";
import { findValue, getRun, listRuns, profileRun, sendRequest, waitForRun, whatIf } from "./run-tools.ts";
import { roomOf, type Tool, type ToolSetting } from "./tool.ts";
import { explainSet } from "./set-tools.ts";
import { compareRuns, explainRun } from "./why-tools.ts";

/** The tools. */
export const tools: readonly Tool[] = [
  listRoutes,
  getGraph,
  sendRequest,
  listRuns,
  getRun,
  findValue,
  compareRuns,
  explainRun,
  explainSet,
  whatIf,
  profileRun,
  waitForRun,
  listJobs,
  replayRun,
  retryJob,
  getHealth,
];

/** The description of a tool for an agent. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: "object" };
  readonly outputSchema: JsonObject & { readonly type: "object" };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly openWorldHint: false;
  };
}

/** The descriptions of all tools. */
export function descriptions(): readonly ToolDescription[] {
  return tools.map(({ name, description, inputs, output, isReadOnly }) => ({
    name,
    description,
    inputSchema: { ...inputSchemaOf(inputs), type: "object" },
    outputSchema: { ...shapeOf(output), type: "object" },
    annotations: { readOnlyHint: isReadOnly, destructiveHint: !isReadOnly, openWorldHint: false },
  }));
}

/** A shape of the specification, which the framework's package has. Without its `$id`, since an agent may read it twice. */
function shapeOf(name: string): JsonObject {
  const file = fileURLToPath(import.meta.resolve(`framework/spec/${name}.json`));
  const shape = JSON.parse(readFileSync(file, "utf8")) as JsonObject;
  return Object.fromEntries(Object.entries(shape).filter(([key]) => key !== "$id"));
}

/** The result of a call. */
export interface ToolResult {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: { [name: string]: unknown };
  readonly isError?: true;
}

/** Calls a tool. Undefined if there is none of that name. Never throws, since an error is a result too. */
export async function callTool(name: string, came: unknown, setting: ToolSetting): Promise<ToolResult | undefined> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return undefined;
  try {
    const given = readInputs(name, tool.inputs, came);
    const text = fitted(await tool.run(given, setting), roomOf(given));
    return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) as { [name: string]: unknown } };
  } catch (error) {
    return { content: [{ type: "text", text: printable(lineOf(error)) }], isError: true };
  }
}

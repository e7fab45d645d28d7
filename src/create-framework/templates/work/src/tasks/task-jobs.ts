/**
 * The jobs about tasks. A job is kept until it is done, also when this process ends: what it is sent with is in `TaskChange`.
 */
import { job } from "framework/work";
// {{if zod}}
import { z } from "zod";

const change = z.strictObject({ id: z.string(), change: z.enum(["saved", "removed"]) });
export type TaskEvent = z.infer<typeof change>;
// {{end}}
// {{if valibot}}
import * as v from "valibot";

const change = v.strictObject({ id: v.string(), change: v.picklist(["saved", "removed"]) });
export type TaskEvent = v.InferOutput<typeof change>;
// {{end}}
// {{if typebox}}
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";

const Change = Type.Object(
  { id: Type.String(), change: Type.Enum(["saved", "removed"]) },
  { additionalProperties: false },
);
const change = Compile(Change);
export type TaskEvent = Static<typeof Change>;
// {{end}}
// {{if none}}
import { checked, membersOf } from "../schema.ts";

export interface TaskEvent {
  readonly id: string;
  readonly change: "saved" | "removed";
}

const properties = { id: { type: "string" }, change: { enum: ["saved", "removed"] } };
const change = checked<TaskEvent>(
  { type: "object", properties, required: ["id", "change"], additionalProperties: false },
  (value) => {
    const { id, change } = membersOf(value, ["id", "change"])?.members ?? {};
    if (typeof id === "string" && (change === "saved" || change === "removed")) return { value: { id, change } };
    return { issues: [{ path: [], message: "must be a changed task" }] };
  },
);
// {{end}}

/** A task was changed. It is tried five times, and is a dead letter after that. */
export const TaskChanged = job("task-changed", { input: change, attempts: 5, timeoutMs: 10_000 });

/**
 * The groups of the micro bench, each measured in processes of its own.
 */
import { lessons } from "./lessons.ts";
import type { Case } from "./method/ns-per-op.ts";
import { beanCases } from "./micro-beans.ts";
import { requestCases } from "./micro-cases.ts";

/** The groups, in the order in which they are shown. */
export const groups: Readonly<Record<string, () => readonly Case[] | Promise<readonly Case[]>>> = {
  requests: requestCases,
  beans: beanCases,
  lessons: () => lessons.flatMap(({ costly, instead }) => (instead === undefined ? [costly] : [costly, instead])),
};

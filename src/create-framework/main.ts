#!/usr/bin/env node
/**
 * The program behind `framework` and `create-framework`: says so where Node is too old for it, else loads it.
 */
import { onSupported } from "./node-version.ts";

if (!(await onSupported(process.versions.node, () => import("./program.ts")))) process.exitCode = 1;

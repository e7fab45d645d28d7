#!/usr/bin/env node
/** The entry of `framework` and `create-framework`: prints a message if Node is too old, else loads the program. */
import { onSupported } from "./node-version.ts";

if (!(await onSupported(process.versions.node, () => import("./program.ts")))) process.exitCode = 1;

/** Preloaded before property tests: one seed for all of them, so that a finding is reproducible. */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? 1) });

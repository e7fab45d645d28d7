/**
 * A case is a value in a list, not a call into a test framework. So the command line, `node:test`, the self-test and the
 * report use the same list.
 */
import type { Feature, RequirementId } from "../../spec/requirements.ts";
import type { profileNames } from "../../spec/subject.ts";
import type { Probe } from "./probe.ts";

/** The way a subject is set up. A case runs only where `GET /__subject/about` reports its profile. */
export type Profile = (typeof profileNames)[number];

/** One proof of one clause. `run` throws a `Violation` when the promise is broken. */
export interface Case {
  readonly id: RequirementId;
  readonly title: string;
  readonly profile: Profile;
  /** Features that a subject must declare for this case, in addition to those of its clause. */
  readonly features: readonly Feature[];
  readonly run: (probe: Probe) => Promise<void>;
}

/** The conditions under which a case runs. */
export interface CaseOptions {
  readonly profile?: Profile;
  readonly features?: readonly Feature[];
}

/**
 * A case for the clause `id`. The title is a fact in the present tense. `run` sets up its own state,
 * validates a shape before it reads a field, and asserts only the sentence of its clause.
 */
export function proves(
  id: RequirementId,
  title: string,
  run: (probe: Probe) => Promise<void>,
  { profile = "default", features = [] }: CaseOptions = {},
): Case {
  return { id, title, profile, features, run };
}

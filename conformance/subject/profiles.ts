/**
 * Profiles: the configurations in which the subject can be started, as data.
 *
 * Spec: spec/subject.md
 */
import { Devtools } from "@framework/devtools";
import { profileNames } from "../../spec/subject.ts";

/** One of the four configurations. */
export type ProfileName = (typeof profileNames)[number];

/** The settings of a profile. */
export interface Profile {
  /** The value of FRAMEWORK_DEVTOOLS. */
  readonly devtools: "true" | "false";
  readonly requestId: boolean;
  /** The methods that CORS allows. Undefined leaves the default. */
  readonly corsMethods: readonly string[] | undefined;
}

const standard: Profile = { devtools: "true", requestId: true, corsMethods: undefined };

/** Every profile by name. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  default: standard,
  "cors-query": { ...standard, corsMethods: ["GET", "QUERY"] },
  production: { ...standard, devtools: "false" },
  "no-request-id": { ...standard, requestId: false },
};

/** The profile's name, checked. @throws Error that lists the known ones */
export function profileNamed(name: string): ProfileName {
  const found = profileNames.find((known) => known === name);
  if (found === undefined) throw new Error(`no profile called ${name}: there are ${profileNames.join(", ")}`);
  return found;
}

/**
 * Devtools as the profile says, independent of the shell. They read the environment once, when they are created. So this sets
 * the variable for that time and restores it, and subjects of several profiles can run in one process.
 */
export function createDevtools({ devtools }: Profile): Devtools {
  const before = process.env["FRAMEWORK_DEVTOOLS"];
  process.env["FRAMEWORK_DEVTOOLS"] = devtools;
  try {
    return Devtools.create({ otlp: true });
  } finally {
    if (before === undefined) delete process.env["FRAMEWORK_DEVTOOLS"];
    else process.env["FRAMEWORK_DEVTOOLS"] = before;
  }
}

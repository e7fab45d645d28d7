/** The conformant subjects in this process, one for each profile, for the self-test. */
import type { Profile } from "./kit/case.ts";
import type { Subjects } from "./kit/selftest.ts";
import { createSubject } from "./subject/subject.ts";
import { profileNames } from "../spec/subject.ts";

/** Running subjects. */
export interface RunningSubjects {
  readonly subjects: Subjects;
  stop(): Promise<void>;
}

/** Starts the subject once for each profile, on free ports. */
export async function subjectsOfAllProfiles(): Promise<RunningSubjects> {
  const started = await Promise.all(
    profileNames.map(async (profile) => {
      const subject = createSubject({ profile });
      return { profile, subject, url: new URL(await subject.start(0)) };
    }),
  );
  return {
    subjects: new Map<Profile, URL>(started.map(({ profile, url }) => [profile, url])),
    async stop() {
      await Promise.all(started.map(({ subject }) => subject.stop()));
    },
  };
}

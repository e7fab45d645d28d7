/** Secrets that an app gives for signing or sealing. */
import { usageError } from "./usage-errors.ts";

/** 32 characters: as random hexadecimal digits they have half as many bits as the hash. */
const SHORTEST = 32;

/** The secrets, the current one first. @throws TypeError when there is none, or one could be guessed. */
export function checkedSecrets(owner: string, secrets: unknown): readonly [string, ...string[]] {
  const [first, ...others] = Array.isArray(secrets) ? (secrets as unknown[]) : [secrets];
  return [checkedSecret(owner, first), ...others.map((secret) => checkedSecret(owner, secret))];
}

/** The message never holds the secret. */
function checkedSecret(owner: string, secret: unknown): string {
  if (typeof secret === "string" && secret.length >= SHORTEST) return secret;
  const given =
    typeof secret === "string" ? `of ${secret.length} characters` : secret === null ? "null" : typeof secret;
  throw usageError(
    "CONFIG_INVALID",
    `${owner}: a secret is ${given}: text of ${SHORTEST} characters or more is allowed, such as openssl rand -hex 32 prints`,
  );
}

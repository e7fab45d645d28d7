/** The challenges of a `WWW-Authenticate` field (RFC 9110 §11.6.1), as vectors expect them. */

const parameter = /(?:^|,)\s*(?:([\w-]+)\s+)?([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*/g;

/** The parameters of each challenge by their names in small letters, `scheme` among them; none where something else stands there. */
export function challengesOf(field: string): readonly Readonly<Record<string, string>>[] {
  if (field.replaceAll(parameter, "") !== "") return [];
  const found: Record<string, string>[] = [];
  for (const [, scheme, name = "", quoted, token = ""] of field.matchAll(parameter)) {
    if (scheme !== undefined) found.push({ scheme: scheme.toLowerCase() });
    const value = quoted?.replaceAll(/\\(.)/g, "$1") ?? token;
    const key = name.toLowerCase();
    Object.assign(found.at(-1) ?? {}, { [key]: key === "charset" ? value.toLowerCase() : value });
  }
  return found;
}

/** Is each of them expected, in whatever order, one of each scheme? */
export function sameChallenges(
  found: readonly Readonly<Record<string, string>>[],
  expected: readonly Readonly<Record<string, string | boolean>>[],
): boolean {
  return (
    found.length === expected.length &&
    expected.every((wanted) => {
      const challenge = found.find(({ scheme }) => scheme === wanted["scheme"]);
      return (
        challenge !== undefined &&
        Object.entries(wanted).every(([name, value]) =>
          typeof value === "boolean" ? ((challenge[name] ?? "") !== "") === value : challenge[name] === value,
        )
      );
    })
  );
}

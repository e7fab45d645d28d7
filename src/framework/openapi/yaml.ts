/** JSON data as YAML 1.2: block style, with every text that is not plain in double quotes, as JSON writes it. */

/** A text that every YAML reader takes for a text. */
const plain = /^[A-Za-z_/][A-Za-z0-9_/ .-]*$/;
const otherwise = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i;

/** The YAML of a JSON value, with a final line break. */
export const yamlOf = (value: unknown): string => `${lines(value, "").join("\n")}\n`;

function lines(value: unknown, indent: string): string[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item) => {
      const [first = "", ...rest] = lines(item, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  if (typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0)
    return Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .flatMap(([key, inner]) =>
        isNested(inner)
          ? [`${indent}${scalar(key)}:`, ...lines(inner, `${indent}  `)]
          : [`${indent}${scalar(key)}: ${scalar(inner)}`],
      );
  return [`${indent}${scalar(value)}`];
}

const isNested = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.values(value).some((inner) => inner !== undefined);

function scalar(value: unknown): string {
  if (typeof value === "string")
    return plain.test(value) && !otherwise.test(value) && !value.endsWith(" ") ? value : JSON.stringify(value);
  return JSON.stringify(value);
}

/**
 * Names and values in a table that is folded at first, for headers and parameters.
 */

import type { JSX } from "preact";
import { count } from "../../run/format.ts";

/** Recorded names and values, one pair for each value. */
export const fieldsOf = (
  recorded: Readonly<Record<string, readonly string[] | string>>,
): (readonly [name: string, value: string])[] =>
  Object.entries(recorded).flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const));

/** The table, with their number above it. */
export function FieldTable(props: {
  /** The singular name, e.g. `header`. */
  readonly name: string;
  /** The plural name; default: with an s. */
  readonly plural?: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly open?: boolean;
}): JSX.Element {
  return (
    <details class="headers" open={props.open}>
      <summary>{count(props.fields.length, props.name, props.plural)}</summary>
      <table>
        <tbody>
          {props.fields.map(([name, value]) => (
            <tr>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

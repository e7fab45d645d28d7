/**
 * Early hints: links that a client can fetch while the response is still made (103, RFC 8297).
 *
 *   ctx.earlyHints("</style.css>; rel=preload; as=style") ──▶ checked ──▶ HTTP/1.1, HTTP/2: 103 with Link
 *                                                                    └─▶ HTTP/1.0, other engines: nothing
 *
 * Spec: spec/context.md
 */
import { shown, usageError } from "../internal/usage-errors.ts";

/** One link (RFC 8288): a target in ASCII without spaces, then parameters, of which one is `rel`. */
const link =
  /^<[\x21-\x3b\x3d\x3f-\x7e]+>(?:\s*;\s*[\w!#$%&'*+.^`|~-]+(?:=(?:[\w!#$%&'*+.^`|~:/-]+|"[\x21\x23-\x3a\x3c-\x5b\x5d-\x7e]*"))?)+$/;
const relation = /;\s*rel=/i;

/** The links. @throws TypeError (`HEADER_INVALID`) naming the first value that is no link. */
export function checkedLinks(links: string | readonly string[]): readonly string[] {
  const list: unknown = typeof links === "string" ? [links] : links;
  const wrong: unknown =
    Array.isArray(list) && list.length > 0 ? list.find((one) => !isLink(one)) : (list ?? "nothing");
  if (wrong === undefined) return list as readonly string[];
  throw usageError(
    "HEADER_INVALID",
    `ctx.earlyHints: ${shown(wrong)} is no link: write </style.css>; rel=preload; as=style, or a list of those`,
  );
}

const isLink = (value: unknown): boolean => typeof value === "string" && link.test(value) && relation.test(value);

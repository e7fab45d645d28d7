/**
 * Headers that go with every request of this tab, such as an Authorization. A request's own header of that name wins.
 */

import { isTexts } from "../../run/values.ts";
import { remembered } from "../page/storage.ts";
import { browserSlice } from "../store/browser.ts";
import type { Use } from "../store/slice.ts";
import type { OutgoingRequest } from "./receive.ts";

/** The key where they are remembered, only for the session, since they may be secrets. */
const HEADERS_KEY = "framework-dev.headers";

type Pair = readonly [name: string, value: string];

const isPairs = (value: unknown): value is readonly Pair[] =>
  Array.isArray(value) && value.every((pair: unknown) => isTexts(pair) && pair.length === 2);

/** The headers, and the actions that change them. */
export function sharedHeadersSlice(use: Use) {
  const { session } = use(browserSlice);
  const headers = remembered(session, HEADERS_KEY, [], isPairs);
  return {
    headers,
    with: (request: OutgoingRequest): OutgoingRequest => {
      const own = new Set(request.headers.map(([name]) => name.toLowerCase()));
      const shared = headers.value.filter(([name]) => name !== "" && !own.has(name.toLowerCase()));
      return shared.length === 0 ? request : { ...request, headers: [...request.headers, ...shared] };
    },
  };
}

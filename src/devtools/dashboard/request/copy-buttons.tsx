/**
 * Buttons that copy the request of the editor as a command, as code and as a test.
 */

import type { JSX } from "preact";
import type { RouteInfo } from "../../run/shapes.ts";
import { CopyButton } from "../page/widgets.tsx";
import { application, selection } from "../store/page-store.ts";
import { toCurl, toFetch, toTest } from "./copy-as.ts";
import { toRequest } from "./draft.ts";
import type { Draft } from "./draft-text.ts";
import { formFiles, send, sharedHeaders } from "./page-request.ts";

/** Fetch, cURL and a test of the editor's present content. */
export function CopyButtons({ route, draft }: { readonly route: RouteInfo; readonly draft: Draft }): JSX.Element {
  const status = selection.trace.value?.status ?? send.exchange.value?.response?.status ?? 200;
  const base = location.origin + application.mount.value;
  const request = (): ReturnType<typeof toRequest> => sharedHeaders.with(toRequest(route, draft, formFiles.of(route)));
  return (
    <>
      <CopyButton label="Copy cURL" text={() => toCurl(base, request())} />
      <CopyButton label="Copy fetch" text={() => toFetch(base, request())} />
      <CopyButton label="Copy node:test" text={() => toTest(base, request(), status)} />
    </>
  );
}

/**
 * The headers of a received request that its sender chose. Pure.
 */

/** Request headers that belong to the transport, the browser or devtools. */
const ofClient =
  /^(host|connection|upgrade|content-length|user-agent|accept-encoding|accept-language|accept|origin|referer|cookie|cache-control|pragma|dnt|sec-.*|x-framework-.*|x-request-id|traceparent|tracestate|transfer-encoding|keep-alive|upgrade-insecure-requests|priority)$/;

/** Name and value of each of the others, one for each line. */
export const ownHeaders = (
  headers: Readonly<Record<string, readonly string[]>>,
): readonly (readonly [name: string, value: string])[] =>
  Object.entries(headers)
    .filter(([name]) => !ofClient.test(name))
    .flatMap(([name, values]) => values.map((value) => [name, value] as const));

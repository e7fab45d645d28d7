/**
 * What the app takes of Node's engines. The build for workers has absent.ts in the place of this file
 * (scripts/bundle-framework.mjs), so nothing else imports them.
 *
 * Spec: spec/engines.md
 */
export { hostedListener, type NodeListener } from "./hosted/hosted.ts";
export { hostedUpgradeListener, type NodeUpgradeListener } from "./hosted/hosted-upgrade.ts";
export { NodeHttp2Engine, type Http2Options, type TlsOptions } from "./http2/node-http2.ts";
export { NodeHttpEngine } from "./node-http/node-http.ts";

/**
 * The app's imports from Node's engines. The build for workers replaces this file with absent.ts
 * (scripts/bundle-framework.mjs), so no other file may import them.
 *
 * Spec: spec/engines.md
 */
export { hostedListener, type NodeListener } from "./hosted/hosted.ts";
export { hostedUpgradeListener, type NodeUpgradeListener } from "./hosted/hosted-upgrade.ts";
export { NodeHttp2Engine, type Http2Options, type TlsOptions } from "./http2/node-http2.ts";
export { NodeHttpEngine } from "./node-http/node-http.ts";

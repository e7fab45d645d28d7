/**
 * framework/proxy: hands a request to another server and gives its response back. Needs `node:http`.
 */
export { proxy, type ProxyOptions } from "./proxy.ts";

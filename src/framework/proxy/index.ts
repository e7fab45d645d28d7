/** framework/proxy: forwards a request to another server and returns its response. Needs `node:http`. */
export { proxy, type ProxyOptions } from "./proxy.ts";

/** framework/connect: middleware of Express and Connect, `(req, res, next)`, in front of routes. Exports only. No dependency. */
export { connectRequest, type ConnectMiddleware, type ConnectOptions, fromConnect } from "./connect.ts";

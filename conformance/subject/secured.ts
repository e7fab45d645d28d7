/**
 * Routes with security headers: each kind with its own options.
 *
 * Spec: spec/subject.md
 */
import { type Framework, HttpError, NotFoundError, SecurityHeadersMiddleware } from "framework";

/** Adds `/secured/{kind}`. */
export function addSecured(app: Framework): void {
  const usual = { use: [new SecurityHeadersMiddleware()] };
  app
    .get("/secured/page", usual, () => "page")
    .get("/secured/own", usual, (ctx) => ctx.setHeader("X-Frame-Options", "DENY").text("own"))
    .get("/secured/failed", usual, () => {
      throw new HttpError(409, "failed as asked");
    })
    .get("/secured/bare", { use: [bare()] }, () => "bare")
    .get("/secured/report", { use: [reporting()] }, () => "report")
    .get("/secured/nonce", { use: [nonced()] }, (ctx) => ctx.attribute("cspNonce"))
    .get("/secured/{kind}", () => {
      throw new NotFoundError("one of page, own, failed, bare, report, nonce is here");
    });
}

const bare = (): SecurityHeadersMiddleware =>
  new SecurityHeadersMiddleware({ contentSecurityPolicy: false, crossOriginOpenerPolicy: false, frameOptions: false });

const reporting = (): SecurityHeadersMiddleware =>
  new SecurityHeadersMiddleware({ contentSecurityPolicy: { reportOnly: true } });

const nonced = (): SecurityHeadersMiddleware =>
  new SecurityHeadersMiddleware({ contentSecurityPolicy: { directives: { "script-src": ["'self'", "'nonce'"] } } });

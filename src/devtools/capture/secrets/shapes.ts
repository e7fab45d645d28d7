/**
 * Secret shapes: secrets that are recognised without a name. These are bearer tokens, JWTs, PEM blocks, URL userinfo, Basic
 * credentials, and the tokens of services that have a known prefix.
 *
 *   "cloning with ghp_16C7e42F292c6912E7710c838347Ae178B4a" ──▶ "cloning with [redacted]"
 *
 * The tokens are those of gitleaks 8.30.0 (MIT; config/gitleaks.toml of 2025-11-20, commit 09242ce9) that need no name
 * next to them, and of Google, Discord and Docker from trufflehog's detectors. Lengths are lower bounds, since services make
 * their tokens longer. Each pattern begins with its own letters and ends in one repetition, so it is linear.
 *
 * Spec: spec/trace.md
 */

/** Where a secret is in a text. */
export type Span = readonly [start: number, end: number];

const words: readonly RegExp[] = [
  /(?<!\w)[Bb][Ee][Aa][Rr][Ee][Rr]\s{1,8}(?!authenti|authori[sz]|credential)[\w.~+/=-]{8,}/,
  /(?<![\w-])eyJ[\w-]{5,}(?:\.[\w-]*){1,4}/,
  /-----BEGIN [A-Z0-9 ]{1,40}-----(?:[^-]|-(?!----END))*(?:-----END [A-Z0-9 ]{1,40}-----)?/,
  /:\/\/[^\s/?#]*@/,
  /(?<!\w)[Bb][Aa][Ss][Ii][Cc]\s{1,8}[\w+/-]{4,}={0,2}/,
];
const maybeWord = /bearer\s|basic\s|eyJ|-----BEGIN |:\/\//i;

/** Tokens with a unique beginning. */
const tokens: readonly RegExp[] = [
  // Code and packages
  /gh[oprsu]_[A-Za-z0-9]{36,}|github_pat_\w{36,}/,
  /gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-[\w-]{20,}|GR1348941[\w-]{20,}/,
  /npm_[A-Za-z0-9]{36,}|pypi-AgE[\w-]{50,}|rubygems_[a-f0-9]{48,}|CLOJARS_[A-Za-z0-9]{60,}|dckr_pat_[\w-]{20,}/,
  /ATATT3[\w=-]{100,}|PMAK-[a-f0-9]{24}-[a-f0-9]{34,}|sgp_\w{40,}/,
  // Clouds
  /bedrock-api-key-[\w+/=-]{20,}|GOCSPX-[\w-]{20,}/,
  /do[opr]_v1_[a-f0-9]{64,}|f(?:o1_[\w-]{43,}|m1[ar]_[\w+/]{100,}|m2_[\w+/]{100,})/,
  /HRKU-AA[\w-]{58,}|sha256~[\w-]{43,}|v1\.0-[a-f0-9]{24}-[a-f0-9]{146,}|tk-us-[\w-]{48,}/,
  /hv[bs]\.[\w-]{90,}|pscale_(?:oauth|pw|tkn)_[\w=.-]{32,}|API-[A-Z0-9]{26,}/,
  /(?<![\w~.])[\w~.]{3}\dQ~[\w~.-]{31,}/,
  /(?<!\w)[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}/,
  // Models
  /sk-(?:admin|ant|or|proj|svcacct)-[\w-]{20,}|pplx-[A-Za-z0-9]{48,}/,
  /api_org_[A-Za-z]{34,}/,
  // Messages
  /xox[abeoprs](?:\.xox[bp])?-[\w-]{10,}|xapp-\d-[\w-]{10,}/,
  /hooks\.slack\.com\/(?:services|triggers|workflows)\/[\w+/-]{20,}/,
  /discord(?:app)?\.com\/api\/webhooks\/\d{5,25}\/[\w-]{20,}|webhook\.office\.com\/webhookb2\/[\w@/-]{36,}/,
  /(?<!\d)\d{5,16}:A[\w-]{34,}/,
  /xkeysib-[a-f0-9]{64,}[\w-]*/,
  // Money and shops
  /[rs]k_(?:live|prod|test)_[A-Za-z0-9]{10,}|whsec_[\w+/=]{20,}|sq0(?:atp|csp)-[\w-]{22,}|FLWSECK_TEST-[A-Za-z0-9-]{12,}/,
  /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}|duffel_(?:live|test)_[\w=-]{43,}|shippo_(?:live|test)_[a-fA-F0-9]{40,}/,
  /access-(?:development|production|sandbox)-[a-f0-9]{8}-[a-f0-9-]{27,}/,
  // Monitoring and planning
  /glsa_\w{32,}|glc_[\w+/=]{32,}|sntry[su]_[\w+/=]{40,}|dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64,}|rdme_[a-z0-9]{70,}/,
  /NRAK-[A-Za-z0-9]{27,}|dp\.(?:audit|ct|pt|sa|scim|st)\.[\w.-]{40,}|pnu_[A-Za-z0-9]{36,}|sm_[aps]at_[A-Za-z0-9]{16,}/,
  /lin_api_[A-Za-z0-9]{40,}|ntn_\d{11}[A-Za-z0-9]{35,}|fio-u-[\w=-]{64,}/,
  // Secret stores
  /AGE-SECRET-KEY-1[A-Za-z0-9]{58,}|ops_eyJ[\w+/=]{100,}|p8e-[A-Za-z0-9]{32,}/,
];
/** Tokens with a beginning that other texts have too. They count only where a word may begin, after `\\n` and `%20` as well. */
const wholeTokens: readonly RegExp[] = [
  /AKCp[A-Za-z0-9]{69,}|cmVmd[A-Za-z0-9]{59,}/,
  /(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])|ABSK[\w+/]{40,}|AIza[\w-]{35,}/,
  /ya29\.[\w-]{20,}|LTAI[A-Za-z0-9]{20,}|dapi[a-f0-9]{32,}|pul-[a-f0-9]{40,}/,
  /sk-[A-Za-z0-9]{32,}|hf_[A-Za-z]{34,}/,
  /SK[0-9a-fA-F]{32}(?![A-Za-z0-9])|SG\.[\w=-]{16,}\.[\w=-]{16,}|EZ[AT]K[A-Za-z0-9]{54,}/,
  /EAA[ACM][A-Za-z0-9]{100,}|pat[A-Za-z0-9]{14}\.[a-f0-9]{64,}/,
  /A3-[A-Z0-9]{6}-[A-Z0-9]{5}[A-Z0-9-]{18,}/,
];
/** The length of the shortest of them. */
const shortestToken = 15;

const joined = (patterns: readonly RegExp[]): string => patterns.map(({ source }) => source).join("|");
const tokenSource = `${joined(tokens)}|(?:(?<![A-Za-z0-9])|(?<=\\\\[bfnrt]|%[0-9A-F]{2}))(?:${joined(wholeTokens)})`;
const anyToken = new RegExp(tokenSource);
const anyTokens = new RegExp(tokenSource, "g");
const anyWords = new RegExp(joined(words), "g");

/** Whether a token is somewhere in this short text. */
export const hasToken = (text: string): boolean => text.length >= shortestToken && anyToken.test(text);

/** The likely secrets in the text that begin before `limit`. */
export function shapesIn(text: string, limit: number): readonly Span[] {
  const spans: Span[] = [];
  for (const { 0: match, index } of text.matchAll(anyTokens)) {
    if (index >= limit) break;
    spans.push([index, index + match.length]);
  }
  if (!maybeWord.test(text)) return spans;
  for (const { 0: match, index } of text.matchAll(anyWords)) {
    if (index >= limit) break;
    if (/^basic/i.test(match) && !isBasic(match)) continue;
    const isUserinfo = match.startsWith("://");
    spans.push(isUserinfo ? [index + 3, index + match.length - 1] : [index, index + match.length]);
  }
  return spans;
}

/** Whether these are credentials, and not "basic functionality". */
function isBasic(match: string): boolean {
  const decoded = Buffer.from(match.slice(5), "base64").toString("latin1");
  return /^[\x20-\x39\x3b-\x7e]*:[\x20-\x7e]*$/.test(decoded);
}

/**
 * Secret names: which key, header, parameter or field holds a secret, by the words of its name.
 *
 *   "AWS_SECRET_ACCESS_KEY" ──▶ aws secret access key ──▶ ends in access key ──▶ secret
 *   "passwordHash"          ──▶ password hash ──▶ a hash of a password ──▶ secret
 *   "tokenCount"            ──▶ token count ──▶ ends in count ──▶ not secret
 *
 * The words come from Sentry's data scrubber and the parameter filter of Rails, without those that hide
 * ordinary data (`key`, `email`), and with words that both lack.
 *
 * Spec: spec/trace.md
 */

/** Lower case, without marks above or below letters. `Contraseña`, in any form of Unicode, becomes `contrasena`. */
const folded = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

const wordsIn = (text: string): string[] => text.trim().split(/\s+/).map(folded);

/** Secret as the end of a word, also of joined words: `accesstoken`. */
const endings: readonly string[] = wordsIn(`
  password passwd passphrase passcode secret token cookie credential authorization apikey privatekey secretkey
  accesskey sessionid sessid connectionstring creditcard cardnumber mnemonic passwort passworter kennwort motdepasse
  contrasena contrasenya contrasinal wachtwoord losenord adgangskode salasana jelszo slaptazodi pasahitza пароль
  пароли парола συνθηματικο 密码 密碼 口令 パスワード 暗証番号 비밀번호 암호 패스워드 รหัสผ่าน
`);
/** Secret as one word or as two or three together, never inside another one. */
const phrases: ReadonlySet<string> = new Set([
  ...wordsIn(`
    pwd pw pswd cvv cvc cvn csc ssn otp totp pin psk jwt bearer csrf xsrf sid iban dsn xprv pincode pinblock
    pannumber primaryaccountnumber authkey signingkey signaturekey encryptionkey masterkey sharedkey accountkey
    sshkey hmackey deploykey licensekey sessionkey subscriptionkey privkey storagekey webhookkey securitycode
    verificationcode recoverycode backupcode authcode authorizationcode logincode accesscode smscode mfacode
    onetimecode activationcode codeverifier pkceverifier cardno ccnumber socialsecuritynumber socialsecurity
    secretanswer securityanswer seedphrase seedword recoveryphrase backupphrase otpauth otpauthurl accesssignature
    samlresponse samlassertion clientassertion
  `),
  // Addresses that contain or are credentials.
  ...["database", "db", "redis", "mongo", "mongodb", "postgres", "postgresql", "mysql", "mariadb", "amqp"].flatMap(
    (what) => [`${what}url`, `${what}uri`],
  ),
  ...["magic", "login", "signin", "reset", "recovery", "verification", "activation"].map((what) => `${what}link`),
  ...wordsIn(`
    rabbitmqurl jdbcurl brokerurl connectionurl connectionuri signedurl presignedurl sasurl magicurl reseturl
    resetpasswordurl resetpasswordlink
  `),
  // A password in other languages.
  ...wordsIn(`
    mdp motsdepasse senha palavrapasse parola haslo hasło heslo geslo lozinka zaporka sifre passord kodeord parool
    lykilorð katasandi matkhau cyfrinair κωδικοςπροσβασης סיסמה סיסמא كلمةالمرور كلمةالسر رمزعبور पासवर्ड секрет
    токен
  `),
]);
/** Two shorter words together are not that word: `s_id` is not `sid`. */
const shortestOfTwo = 5;
/** Secret if the value is a text. `auth: {…}` is searched, `seed: 42` and `pass: true` are shown. */
const ofTexts: ReadonlySet<string> = new Set(["pass", "auth", "pan", "seed", "clave"]);
/** A card number has at least this many digits. */
const shortestPan = 1e11;
/** Endings after a secret's name that are a form of it, not something about it. */
const forms: ReadonlySet<string> = new Set(
  wordsIn(`
    hash hashed digest salt encrypted plain plaintext raw value string text code confirm confirmation repeat again
    base64 b64 hex pem header new old
  `),
);
/** Ends in a secret word but is not secret, such as a place in a list, and a signal. */
const innocent: ReadonlySet<string> = new Set(["pagetoken", "nexttoken", "continuationtoken", "cancellationtoken"]);
/** The subjects of an identifier of Twilio or Windows. */
const identified: ReadonlySet<string> = new Set(["account", "call", "message", "service", "user", "group", "object"]);

/** The last characters of a key that are searched. */
export const keyChars = 128;

/** Whether `key` is the name of a secret. `extra` are further endings, in lower case and without separators. */
export const isSecretKey = (key: string, extra: readonly string[] = []): boolean => isEnd(stemOf(key), extra);

/** Whether `value` has a type that a secret under such a name has. Flags and token counts have not. */
export function isSecretField(key: string, value: unknown, extra: readonly string[] = []): boolean {
  if (typeof value === "boolean") return false;
  if (typeof value === "number" && /tokens$/i.test(key)) return false;
  const isText = typeof value === "string" || (typeof value === "number" && value >= shortestPan);
  const words = stemOf(key);
  return (isText && ofTexts.has(words.at(-1) ?? "")) || isEnd(words, extra);
}

/** Its words without those that only name the form of the secret. */
function stemOf(key: string): readonly string[] {
  const words = wordsOf(key);
  while (forms.has(words.at(-1) ?? "") && !isEnd(words, [])) words.pop();
  return words;
}

function isEnd(words: readonly string[], extra: readonly string[]): boolean {
  const last = singular(words.at(-1) ?? "");
  const pair = (words.at(-2) ?? "") + last;
  const triple = (words.at(-3) ?? "") + pair;
  if (extra.some((word) => word !== "" && triple.endsWith(word))) return true;
  if (innocent.has(pair) || [...innocent].some((word) => last.endsWith(word))) return false;
  if (last === "sid" && identified.has(words.at(-2) ?? "")) return false;
  if (countsOf.test(words.join(" "))) return false;
  return (
    endings.some((word) => last.endsWith(word) || pair === word || triple === word) ||
    phrases.has(last) ||
    [pair, triple].some((phrase) => phrase.length >= shortestOfTwo && phrases.has(phrase))
  );
}

/** Token counts of language models and limits. */
const countsOf = /\b(?:max|min|total|prompt|completion|input|output|used|remaining|cached|reasoning) tokens$/;

const singular = (word: string): string => (/[^s]s$/.test(word) ? word.slice(0, -1) : word);

/** A name as one word, in the form of `extra`. */
export const oneWord = (name: string): string => wordsOf(name).join("");

/** The words of a key, in lower case. It is split at camelCase and at every other character except letters, without digits. */
function wordsOf(key: string): string[] {
  const end = key.slice(-keyChars);
  if (!isAscii(end)) return (end.normalize("NFC").match(anyWords) ?? []).map(folded);
  const words = end.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+(?:64(?!\d))?/g) ?? [];
  return words.map((word) => word.toLowerCase());
}

/** Words of any script; most have no capitals. */
const anyWords = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+(?:64(?!\d))?|[\p{Lo}\p{Lm}\p{M}]+/gu;

/**
 * Rules of HTTP that several rooms apply.
 *
 * Spec: RFC 9110
 */

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Is that a token (RFC 9110 §5.6.2): a method, the name of a header? */
export const isToken = (text: string): boolean => token.test(text);

/** The status of a request whose client left before the head of the response was sent: no status of HTTP, nginx's. */
export const CLIENT_CLOSED_REQUEST = 499;

/** Does a response of that status have no content (RFC 9110 §15.3.5, §15.3.6, §15.4.5)? */
export const isWithoutContent = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** The clause ids at the beginning of a test's title: `it("DASH-025: a link leads to a route", …)`. */

/**
 * @param {string} title
 * @returns {string[]} none when the title begins with no id
 */
export function clauseIds(title) {
  const [start = ""] = /^(?:[A-Z]+-\d{3}[\s,]*)+(?=:)/.exec(title.trim()) ?? [];
  return start.match(/[A-Z]+-\d{3}/g) ?? [];
}

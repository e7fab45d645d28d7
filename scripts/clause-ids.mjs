/** The clause ids at the beginning of a test's title: `it("GUARD-014 LIFE-003: the guard never throws", …)`. */

/**
 * @param {string} title
 * @returns {string[]} none when the title begins with no id
 */
export function clauseIds(title) {
  const [start = ""] = /^(?:[A-Z]+-\d{3}[\s,]*)+(?=:)/.exec(title.trim()) ?? [];
  return start.match(/[A-Z]+-\d{3}/g) ?? [];
}

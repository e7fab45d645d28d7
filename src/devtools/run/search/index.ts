/**
 * The search of runs, for programs that have runs: `searchOf(parseQuery("status:5xx").query)(documentOf(trace))`.
 *
 * Spec: spec/search.md
 */
export { documentOf, type CallColumns, type LeafColumns, type RunDocument } from "./document.ts";
export { fields, words, type Field, type FieldKind, type Operator } from "./fields.ts";
export { searchOf, type Found, type Search, type SearchContext } from "./match.ts";
export { parseQuery, type ParseResult, type Query, type Term } from "./query.ts";

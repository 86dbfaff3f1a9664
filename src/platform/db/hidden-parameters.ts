/** Texts, names in quotes and comments, which stay as they are, or a parameter. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(\?|@\w+)/g

/**
 * Hides the parameters of a statement from SQLite's planner: each becomes `+?`, which has the same value and type.
 *
 * This SQLite is built with STAT4. Where its planner looks at the value of a parameter, as it does for most joins and
 * sorted lists, it prepares the whole statement again with every call, which costs several times the call itself. Without
 * statistics (nothing here runs ANALYZE) it never learns anything from the value.
 */
export const hideParameters = (sql: string): string =>
  sql.replace(PARTS, (part: string, parameter: string | undefined) => (parameter ? `+${part}` : part))

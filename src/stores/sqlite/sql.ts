/** The names of columns, for a statement. */
export const columnList = (columns: readonly string[]) => columns.join(', ')

/** One `?` for each column. */
export const placeholders = (columns: readonly string[]) => columns.map(() => '?').join(', ')

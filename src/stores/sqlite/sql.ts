/** The names of columns, as they stand in a statement. */
export const columnList = (columns: readonly string[]) => columns.join(', ')

/** A place for the value of each column. */
export const places = (columns: readonly string[]) => columns.map(() => '?').join(', ')

/** The cells of each row of the first table under a heading of a Markdown page, without its head. */
export function tableUnder(page: string, heading: string): string[][] {
  const lines = page.split('\n')
  const start = lines.indexOf(heading)
  if (start === -1) throw new Error(`No heading "${heading}".`)
  const first = lines.findIndex((line, index) => index > start && line.startsWith('|'))
  const rows = lines.slice(first)
  const end = rows.findIndex((line) => !line.startsWith('|'))
  return rows.slice(2, end === -1 ? undefined : end).map(cellsOf)
}

function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim())
}

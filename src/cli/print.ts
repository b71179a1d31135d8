/** A line for the one who ran the command. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`)
}

/** A line about what went wrong or goes on, apart from the result. */
export function complain(line: string): void {
  process.stderr.write(`${line}\n`)
}

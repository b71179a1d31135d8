/** Prints a line of the result, to standard output. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`)
}

/** Prints a line about an error or the progress, to standard error. */
export function complain(line: string): void {
  process.stderr.write(`${line}\n`)
}

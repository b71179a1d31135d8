import { InvalidArgumentError } from 'commander'

/** A port from the command line. 0 lets the system choose one. */
export function portNumber(text: string): number {
  const port = Number(text)
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('A port is a number from 0 to 65535.')
}

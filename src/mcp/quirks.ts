/** What a client calls itself. Shown to people and used to look up quirks, never to trust the client more. */
export interface ClientInfo {
  readonly name: string
  readonly version: string
}

/** Modes that a named client declares but does not show to a person, in all versions or those before one. */
export interface Quirk {
  readonly name: string
  /** The first version without the quirk. */
  readonly until?: string
  /** The modes to be treated as undeclared. */
  readonly lacks: readonly ('form' | 'url')[]
}

/** The modes that this client declares but does not show to a person. */
export function quirkOf(client: ClientInfo | undefined, quirks: readonly Quirk[]): readonly ('form' | 'url')[] {
  if (client === undefined) return []
  return quirks
    .filter(({ name, until }) => name === client.name && (until === undefined || isBefore(client.version, until)))
    .flatMap(({ lacks }) => lacks)
}

function isBefore(version: string, other: string): boolean {
  const [mine, theirs] = [numbersIn(version), numbersIn(other)]
  for (let index = 0; index < Math.max(mine.length, theirs.length); index++) {
    const difference = (mine[index] ?? 0) - (theirs[index] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

function numbersIn(version: string): number[] {
  return (version.match(/\d+/g) ?? []).map(Number)
}

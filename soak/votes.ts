import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMemoryStore } from '../src/stores/memory/open.ts'
import { openSqliteStore } from '../src/stores/sqlite/open.ts'
import type { Store } from '../src/stores/store.ts'
import { playSequences } from '../test/support/approval/voting-sequences.ts'

interface VotesOptions {
  readonly seed: number
  /** How many in memory; a tenth of it goes to a disk. */
  readonly sequences: number
  readonly print: (line: string) => void
}

/** Random votes, edits, delegations and crowds, each compared with the plain rules. Throws where a call runs wrongly. */
export async function soakVotes({ seed, sequences, print }: VotesOptions): Promise<void> {
  await play('memory', openMemoryStore(), sequences)
  const folder = await mkdtemp(join(tmpdir(), 'assent-votes-'))
  try {
    await play('sqlite', await openSqliteStore(join(folder, 'assent.db')), Math.ceil(sequences / 10))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }

  async function play(name: string, store: Store, count: number): Promise<void> {
    const { ran, crowds } = await playSequences(store, { sequences: count, seed, crowdEvery: 20 })
    print(`votes on ${name}: ${count} sequences, ${ran} calls ran, ${crowds} times fifty voted at once; none wrongly`)
  }
}

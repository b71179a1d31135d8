import type { Command } from 'commander'
import type { Assent } from '../assent.ts'

/** Opens the store that the command line names, for one command, and closes it whatever happens. */
export async function withAssent<T>(command: Command, work: (assent: Assent) => Promise<T>): Promise<T> {
  const { store } = command.optsWithGlobals<{ store: string }>()
  // Loaded when it is needed: other commands start faster without it.
  const { createAssent } = await import('../assent.ts')
  const assent = await createAssent({ store, clocks: { tidy: 0 } })
  try {
    return await work(assent)
  } finally {
    await assent.close()
  }
}

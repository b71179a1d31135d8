import { BadArgument } from '../base/errors.ts'
import { stepIdentity } from '../call/step.ts'
import { AskRefused } from '../mcp/refusal.ts'
import type { Visit } from './visit.ts'

const day = 86_400_000

/** Runs a step once in a walk, however often the walk is walked, and gives its result each time. */
export async function once<T>({ assent, walk }: Visit, name: string, work: () => Promise<T> | T): Promise<T> {
  const { vault, clock, store } = assent
  const key = { walk: walk.w, name: `once ${name}` }
  const claimed = await store.steps.claim(key, new Date(clock.now().getTime() + day))
  switch (claimed.kind) {
    case 'finished':
      return JSON.parse(await vault.open(claimed.result, stepIdentity(key))).value
    case 'begun':
      throw new AskRefused(
        'already-run',
        `"${name}" was begun before, and nobody knows how it ended. It is not done again.`,
      )
    case 'claimed': {
      const value = await work()
      const text = JSON.stringify({ value })
      if (text === undefined) throw new BadArgument('What a step gives must be JSON.')
      await store.steps.finish(key, await vault.seal(text, stepIdentity(key)))
      return value
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { BadArgument } from '../base/errors.ts'
import { stepIdentity } from '../call/step.ts'
import { AskRefused } from '../mcp/refusal.ts'
import type { RequestContext } from './context.ts'

const day = 86_400_000
const lookAgainMs = 100

/** Runs a step once in a walk, however often the walk is walked, and gives its result each time. */
export async function once<T>(
  { assent, walk, clocks }: RequestContext,
  name: string,
  work: () => Promise<T> | T,
): Promise<T> {
  const { vault, clock, store } = assent
  const key = { walkId: walk.id, name: `once ${name}` }
  const until = new Date(clock.now().getTime() + day)
  const patience = performance.now() + clocks.hold
  for (;;) {
    const claimed = await store.steps.claim(key, until)
    switch (claimed.kind) {
      case 'finished':
        return JSON.parse(await vault.open(claimed.result, stepIdentity(key))).value
      case 'begun':
        // It may be running right now, for an earlier round of the same call.
        if (performance.now() < patience) break
        throw new AskRefused(
          'already-run',
          `"${name}" was begun before, and nobody knows how it ended. It is not done again.`,
        )
      case 'claimed': {
        const value = await work()
        await store.steps.finish(key, await vault.seal(jsonOf(value), stepIdentity(key)))
        return value
      }
    }
    await sleep(lookAgainMs)
  }
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify({ value })
  } catch (error) {
    throw new BadArgument('What a step gives must be JSON.', { cause: error })
  }
}

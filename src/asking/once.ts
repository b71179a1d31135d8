import { setTimeout as sleep } from 'node:timers/promises'
import { BadArgument } from '../base/errors.ts'
import { rememberUntil, stepIdentity } from '../call/step.ts'
import { AskRefused } from '../mcp/refusal.ts'
import type { RequestContext } from './context.ts'

const lookAgainMs = 100

/** Runs a step once in a walk, however often the handler runs, and returns its result each time. */
export async function once<T>(
  { assent, walk, clocks }: RequestContext,
  name: string,
  work: () => Promise<T> | T,
): Promise<T> {
  const { vault, clock, store } = assent
  const key = { walkId: walk.id, name: `once ${name}` }
  // Every run of the handler claims it again, so it is remembered for longer than the walk can go on.
  const until = rememberUntil(new Date(clock.now().getTime() + clocks.state))
  const patience = performance.now() + clocks.hold
  for (;;) {
    const claimed = await store.steps.claim(key, until)
    switch (claimed.kind) {
      case 'finished':
        return JSON.parse(await vault.open(claimed.result, stepIdentity(key))).value
      case 'begun':
        // It may be running right now, in an earlier request of the same call.
        if (performance.now() < patience) break
        throw new AskRefused(
          'already-run',
          `"${name}" was started before, and its result is not known. It is not run again.`,
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
    throw new BadArgument('The result of a step in once() must be JSON.', { cause: error })
  }
}

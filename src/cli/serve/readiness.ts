import type { Assent } from '../../assent.ts'
import { inBackground } from '../../base/under-way.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'

/** Whether this process can do its work, and if not, why. */
export interface Readiness {
  readonly store: 'up' | 'down' | 'not writable'
  /** In words, each with what to do. Empty: it is ready. */
  readonly problems: readonly string[]
}

type AssentToCheck = Pick<Assent, 'store' | 'clockProblem'>

const patienceMs = 2_000
const restMs = 1_000
const keptMs = 60_000

const storeProblems: Readonly<Record<Readiness['store'], string | undefined>> = {
  up: undefined,
  down: 'The store cannot be reached. Check that it runs, and that its address is right.',
  'not writable':
    'The store can be read but not written. Check that its disk is not full and its server not read-only.',
}

/** Checks the store by reading and writing, and the clock. Whoever asks at the same moment, or too often, shares a check. */
export function createReadiness({ store, clockProblem }: AssentToCheck): () => Promise<Readiness> {
  let checking: Promise<Readiness['store']> | undefined

  function check(): Promise<Readiness['store']> {
    if (checking !== undefined) return checking
    const begun = performance.now()
    const mine = checkStore(store)
    checking = mine
    const rested = mine.then(() => {
      // A file that another process has locked blocks this process while it is checked, so a slow check is repeated rarely.
      const tookMs = performance.now() - begun
      setTimeout(() => (checking = undefined), Math.max(restMs, 4 * tookMs)).unref()
    })
    inBackground(rested)
    return mine
  }

  return async () => {
    const found = await check()
    const problems = [storeProblems[found], clockProblem()].filter((problem) => problem !== undefined)
    return { store: found, problems }
  }
}

async function checkStore({ elicitations, steps, clock }: Assent['store']): Promise<Readiness['store']> {
  if (!(await succeeds(() => elicitations.get('readyz' as ElicitationId)))) return 'down'
  // One row for all processes. Its date moves on with each check, so each check is a write.
  const until = new Date(clock.now().getTime() + keptMs)
  const isWritten = await succeeds(() => steps.claim({ walkId: 'readyz', name: 'written' }, until))
  return isWritten ? 'up' : 'not writable'
}

/** Whether the work ends in time and without an error. */
async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  let impatient: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    impatient = setTimeout(resolve, patienceMs, false)
  })
  const done = work().then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([done, late])
  } finally {
    clearTimeout(impatient)
  }
}

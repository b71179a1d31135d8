import type { Sealed } from '../../base/seal.ts'
import type { StepKey, StepStore } from '../../call/step.ts'
import { type FinishedStepRow, fromStepRow, resultOfLostClaim } from '../rows/step.ts'
import { type ReadRow, recordsIn, rowFromFlat, sealedPlace, written } from './records.ts'
import { claimStep, finishStep } from './scripts/steps.ts'
import type { RedisServer } from './server/server.ts'

const keyOf = ({ walkId, name }: StepKey) => JSON.stringify([walkId, name])
const finishedRow = (row: ReadRow) => row as unknown as FinishedStepRow

/** Steps in Redis. */
export function redisSteps(server: RedisServer): StepStore {
  const kept = recordsIn(server, 'step')

  async function keep(key: StepKey, { key: sealed_key, box }: Sealed, expected: Record<string, string | false>) {
    const record = { key: keyOf(key), columns: { sealed_key, box }, places: sealedPlace(sealed_key) }
    return (await kept.run<number>(finishStep, { ...written(record), expected })) === 1
  }

  return {
    async claim(key, until) {
      const until_at = until.getTime()
      const columns = { walk: key.walkId, name: key.name, until_at }
      const record = { key: keyOf(key), columns, places: [{ index: 'until', score: until_at }] }
      const [kind, found = []] = await kept.run<['claimed' | 'known', string[]?]>(claimStep, written(record))
      if (kind === 'claimed') return { kind }
      const step = rowFromFlat(found)
      return resultOfLostClaim(step.box === undefined ? undefined : finishedRow(step))
    },
    finish: (key, result) => keep(key, result, { box: false }),
    async listSealedExcept(key, limit) {
      return (await kept.listSealedExcept(key, limit)).map((row) => fromStepRow(finishedRow(row)))
    },
    reseal: (key, previous, next) => keep(key, next, { sealed_key: previous.key, box: previous.box }),
    sealingKeys: kept.sealingKeys,
    deleteSteps: (moment, limit) => kept.deleteBefore('until', moment, limit),
  }
}

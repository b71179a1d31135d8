import type { Sealed } from '../../base/seal.ts'
import type { StepKey, StepStore } from '../../call/step.ts'

interface KeptStep {
  readonly key: StepKey
  until: Date
  result?: Sealed
}

const keyOf = ({ walkId, name }: StepKey) => JSON.stringify([walkId, name])

/** Stores steps in memory. */
export function memorySteps(): StepStore {
  const kept = new Map<string, KeptStep>()

  const finished = () => [...kept.values()].flatMap(({ key, result }) => (result ? { key, result } : []))

  return {
    async claim(key, until) {
      const step = kept.get(keyOf(key))
      if (step !== undefined && step.until < until) step.until = new Date(until)
      if (step?.result !== undefined) return { kind: 'finished', result: { ...step.result } }
      if (step !== undefined) return { kind: 'begun' }
      kept.set(keyOf(key), { key: { walkId: key.walkId, name: key.name }, until: new Date(until) })
      return { kind: 'claimed' }
    },
    async finish(key, result) {
      const step = kept.get(keyOf(key))
      if (step === undefined || step.result !== undefined) return false
      step.result = { ...result }
      return true
    },
    async listSealedExcept(key, limit) {
      const others = finished().filter(({ result }) => result.key !== key)
      return structuredClone(others.slice(0, limit))
    },
    async reseal(key, previous, next) {
      const step = kept.get(keyOf(key))
      if (step?.result?.key !== previous.key || step.result.box !== previous.box) return false
      step.result = { ...next }
      return true
    },
    async sealingKeys() {
      return [...new Set(finished().map(({ result }) => result.key))]
    },
    async deleteSteps(moment, limit) {
      const old = [...kept].filter(([, { until }]) => until < moment).slice(0, limit)
      for (const [where] of old) kept.delete(where)
      return old.length
    },
  }
}

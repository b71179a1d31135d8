import { describe, expect, test } from 'vitest'
import { keepLateEnds } from '../../src/approval/late-ends.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { aCall } from '../support/approval/a-call.ts'
import { anUpstream, asksAnd, audited, refusal } from '../support/approval/approving.ts'
import { anAssent } from '../support/assents.ts'
import { appendsLater } from '../support/audit/audits.ts'

const down = new Error('The store cannot be reached.')

/** An Assent whose audit takes no ends of calls while `isDown` says so. */
async function anAssentThatLosesItsStore(lost: () => Promise<void> = () => Promise.reject(down)) {
  const clock = fixedClock()
  const store = openMemoryStore()
  const { append } = store.audit
  const fault = { isDown: false }
  appendsLater(store.audit).append = (...events) => {
    const isEnd = JSON.stringify(events).includes('call-finished')
    return fault.isDown && isEnd ? (lost() as never) : append(...events)
  }
  const assent = await anAssent({ store, clock })
  const told: unknown[] = []
  assent.events.listen((news) => {
    if (news.kind === 'end-unrecorded') told.push(news.error)
  })
  return { assent, clock, fault, told }
}

describe('a store that fails after a call was sent', () => {
  test('does not keep the result from its client; the end is recorded later, as late', async () => {
    const { assent, clock, fault, told } = await anAssentThatLosesItsStore()
    const { id } = await asksAnd(assent)
    const upstream = anUpstream(assent)
    fault.isDown = true
    expect(await upstream.run(aCall(), 'walk-1', id)).toEqual({ kind: 'done', result: 'ran' })
    const endedAt = clock.now().toISOString()
    expect(told).toEqual([down])
    expect(await upstream.run(aCall(), 'walk-1', id)).toEqual(refusal('already-run', 'unknown'))

    clock.advance(1_000)
    await Promise.resolve()
    fault.isDown = false
    clock.advance(2_000)
    await expect
      .poll(() => audited(assent, 'call-finished'))
      .toMatchObject([{ about: 'walk-1', data: { outcome: 'done', late: true, endedAt } }])
    await expect.poll(() => upstream.run(aCall(), 'walk-1', id)).toEqual(refusal('already-run', 'done'))
    expect(upstream.sent).toHaveLength(1)
  })

  test('and does not answer at all holds the result for two seconds, not longer', async () => {
    let answers = () => {}
    const silence = new Promise<never>((_, reject) => {
      answers = () => reject(down)
    })
    const { assent, clock, fault } = await anAssentThatLosesItsStore(() => silence)
    const { id } = await asksAnd(assent)
    fault.isDown = true
    const running = anUpstream(assent).run(aCall(), 'walk-1', id)
    let result: unknown
    void running.then((ended) => {
      result = ended
    })
    await expect.poll(() => audited(assent, 'call-started')).toHaveLength(1)
    await expect
      .poll(() => {
        clock.advance(2_000)
        return result
      })
      .toEqual({ kind: 'done', result: 'ran' })
    answers()
  })

  test('where nobody waits for the record, it is made later too', async () => {
    const { assent, clock, fault, told } = await anAssentThatLosesItsStore()
    fault.isDown = true
    await assent.approvals.finishSoon({ call: aCall(), walkId: 'walk-1', outcome: 'failed' })
    expect(told).toEqual([down])
    fault.isDown = false
    clock.advance(1_000)
    await expect
      .poll(() => audited(assent, 'call-finished'))
      .toMatchObject([{ about: 'walk-1', data: { outcome: 'failed', late: true } }])
  })
})

describe('ends that are recorded late', () => {
  test('are tried again after longer and longer pauses, oldest first, and all of them once the store is back', async () => {
    const clock = fixedClock()
    const late = keepLateEnds(clock)
    const done: string[] = []
    let tries = 0
    let isDown = true
    const record = (name: string) => async () => {
      tries += 1
      if (isDown) throw down
      done.push(name)
    }
    late.add(record('first'))
    late.add(record('second'))
    const tryAfter = async (ms: number) => {
      clock.advance(ms)
      await new Promise((resolve) => setImmediate(resolve))
      return tries
    }
    expect(await tryAfter(999)).toBe(0)
    expect(await tryAfter(1)).toBe(1)
    expect(await tryAfter(1_999)).toBe(1)
    expect(await tryAfter(1)).toBe(2)
    for (let n = 0; n < 10; n += 1) await tryAfter(60_000)
    expect(await tryAfter(59_999)).toBe(12)
    isDown = false
    await tryAfter(1)
    expect(done).toEqual(['first', 'second'])

    late.add(record('third'))
    await tryAfter(1_000)
    expect(done).toEqual(['first', 'second', 'third'])
  })

  test('are bounded: the oldest are given up', async () => {
    const clock = fixedClock()
    const late = keepLateEnds(clock)
    const done: number[] = []
    for (let n = 0; n < 10_001; n += 1) late.add(async () => void done.push(n))
    await late.close()
    expect(done).toHaveLength(10_000)
    expect(done[0]).toBe(1)
  })

  test('are tried once more when Assent closes, which a store that is still down does not keep from closing', async () => {
    const late = keepLateEnds(fixedClock())
    await late.close()
    const done: string[] = []
    late.add(() => Promise.reject(down))
    late.add(async () => void done.push('second'))
    await late.close()
    expect(done).toEqual(['second'])
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Elicitation, ElicitationId, Store } from '../../src/index.ts'
import { StoreUnavailable } from '../../src/stores/errors.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { alice, anAsk, onPage } from '../support/asks.ts'
import { anAssent, everyAssent } from '../support/assents.ts'

/** Lets everything go on that only waits for its turn. */
const turns = () => sleep(5)

/** A memory store whose reads can be made to fail. */
function unsteadyStore(): Store & { down: Error | undefined; reads: number } {
  const store = openMemoryStore()
  const unsteady = {
    ...store,
    down: undefined as Error | undefined,
    reads: 0,
    elicitations: {
      ...store.elicitations,
      async get(id: ElicitationId): Promise<Elicitation | undefined> {
        unsteady.reads++
        if (unsteady.down) throw unsteady.down
        return store.elicitations.get(id)
      },
    },
  }
  return unsteady
}

describe('waiting', () => {
  test.each(everyAssent)('ends when the question is answered ($name)', async ({ assent }) => {
    const one = await assent()
    const { elicitation } = await one.ask(anAsk())
    const waiting = one.wait(elicitation.id)
    await turns()
    await one.answer(elicitation.id, onPage(alice), { action: 'decline' })
    expect((await waiting).state).toMatchObject({ kind: 'answered', answer: { action: 'decline' } })
  })

  test('ends at once for a question that is settled', async () => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(anAsk())
    await assent.fail(elicitation.id, 'gone')
    expect((await assent.wait(elicitation.id)).state.kind).toBe('failed')
  })

  test('ends when the time to wait is up, and the question stays open', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock })
    const { elicitation } = await assent.ask(anAsk())
    const waiting = assent.wait(elicitation.id, { timeoutMs: 45_000 })
    await turns()
    clock.advance(44_999)
    await expect(Promise.race([waiting, turns().then(() => 'waits')])).resolves.toBe('waits')
    clock.advance(1)
    expect((await waiting).state.kind).toBe('open')
  })

  test('ends when the question expires, though nobody else looks at it', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock })
    const { elicitation } = await assent.ask(anAsk())
    const waiting = assent.wait(elicitation.id)
    await turns()
    clock.advance(630_000)
    expect((await waiting).state.kind).toBe('expired')
  })

  test('ends when the one who waits has gone', async () => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(anAsk())
    const gone = new AbortController()
    const waiting = assent.wait(elicitation.id, { signal: gone.signal })
    await turns()
    gone.abort()
    expect((await waiting).state.kind).toBe('open')
    expect((await assent.wait(elicitation.id, { signal: gone.signal })).state.kind).toBe('open')
  })

  test('hears a ring that comes while it looks', async () => {
    const store = unsteadyStore()
    const rings: (() => void)[] = []
    const assent = await anAssent({
      store: {
        ...store,
        changes: {
          watch: (_id, changed) => {
            rings.push(changed)
            return () => {}
          },
        },
      },
    })
    const { elicitation } = await assent.ask(anAsk())
    const waiting = assent.wait(elicitation.id)
    // It has read the open question by now and not yet gone to sleep, or it sleeps: either way it hears.
    for (const ring of rings) ring()
    await assent.answer(elicitation.id, onPage(alice), { action: 'cancel' })
    for (const ring of rings) ring()
    expect((await waiting).state.kind).toBe('answered')
  })

  test('for a question that never was is told so', async () => {
    const assent = await anAssent()
    await expect(assent.wait('none' as ElicitationId)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('goes on while the store is down, and finds the answer when it is back', async () => {
    const clock = fixedClock()
    const store = unsteadyStore()
    const assent = await anAssent({ store, clock })
    const { elicitation } = await assent.ask(anAsk())
    store.down = new StoreUnavailable('restarting')
    const waiting = assent.wait(elicitation.id, { timeoutMs: 60_000 })
    for (let n = 0; n < 8; n++) {
      await turns()
      clock.advance(250)
    }
    expect(store.reads).toBeGreaterThan(5)
    store.down = undefined
    await assent.answer(elicitation.id, onPage(alice), { action: 'cancel' })
    expect((await waiting).state.kind).toBe('answered')
  })

  test('is told that the store is down when the time is up, and of any other failure at once', async () => {
    const clock = fixedClock()
    const store = unsteadyStore()
    const assent = await anAssent({ store, clock })
    const { elicitation } = await assent.ask(anAsk())
    store.down = new StoreUnavailable('restarting')
    const waiting = assent.wait(elicitation.id, { timeoutMs: 100 })
    await turns()
    clock.advance(100)
    await expect(waiting).rejects.toMatchObject({ code: 'store_unavailable' })
    store.down = new TypeError('a bug')
    await expect(assent.wait(elicitation.id)).rejects.toThrow('a bug')
  })

  test('leaves no timer and no watcher behind', async () => {
    const clock = fixedClock()
    let timers = 0
    let watchers = 0
    const store = openMemoryStore()
    const counted: Store = {
      ...store,
      changes: {
        watch(id, changed) {
          watchers++
          const unwatch = store.changes.watch(id, changed)
          return () => {
            watchers--
            unwatch()
          }
        },
      },
    }
    const after: typeof clock.after = (ms, due) => {
      timers++
      let over = false
      const end = () => {
        if (!over) timers--
        over = true
      }
      const callOff = clock.after(ms, () => {
        end()
        due()
      })
      return () => {
        end()
        callOff()
      }
    }
    const assent = await anAssent({ store: counted, clock: { ...clock, after } })
    const { elicitation } = await assent.ask(anAsk())
    const waiting = Promise.all(Array.from({ length: 20 }, () => assent.wait(elicitation.id, { timeoutMs: 50_000 })))
    await turns()
    expect(watchers).toBe(20)
    await assent.answer(elicitation.id, onPage(alice), { action: 'cancel' })
    await waiting
    expect({ timers, watchers }).toEqual({ timers: 0, watchers: 0 })
  })
})

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Assent, createAssent, type Elicitation, type Store } from '../../src/index.ts'
import { StoreUnavailable } from '../../src/stores/errors.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open.ts'
import { limitedTo } from '../../src/testing/elicitations.ts'
import { anElicitation, answered, fixedClock } from '../../src/testing/index.ts'
import { alice, anAsk, onPage } from '../support/asks.ts'
import { anAssent, everyAssent } from '../support/assents.ts'
import { appendsLater } from '../support/audit/audits.ts'
import { temporaryFolder } from '../support/temporary.ts'

async function kindsIn(assent: Pick<Assent, 'exportAudit'>): Promise<string[]> {
  const kinds: string[] = []
  for await (const line of assent.exportAudit()) {
    const { event } = JSON.parse(line)
    if (event !== undefined) kinds.push(event.kind)
  }
  return kinds
}

describe.each(everyAssent)('closing ($name)', ({ assent }) => {
  test('sends those home who wait, and their questions stay open', async () => {
    const one = await assent()
    const { elicitation } = await one.ask(anAsk())
    const waiting = one.wait(elicitation.id)
    await sleep(20)
    await one.close()
    expect((await waiting).state.kind).toBe('open')
  })

  test('waits for an answer that is under way', async () => {
    const one = await assent()
    const { elicitation } = await one.ask(anAsk())
    const answering = one.answer(elicitation.id, onPage(alice), { action: 'cancel' })
    await one.close()
    expect(await answering).toMatchObject({ kind: 'kept' })
  })
})

test('a closed SQLite store neither reads nor writes', async () => {
  const store = await openSqliteStore(join(await temporaryFolder(), 'assent.db'))
  const asked = anElicitation()
  const adding = store.elicitations.add(asked, limitedTo(10))
  await store.close()
  expect(await adding).toEqual({ kind: 'added' })
  await expect(store.elicitations.get(asked.id)).rejects.toMatchObject({ code: 'store_unavailable' })
  await expect(store.elicitations.saveIfUnchanged(answered(asked))).rejects.toMatchObject({ code: 'store_unavailable' })
})

describe('whatever breaks while something is kept', () => {
  /** A store that keeps what it is given, and then loses its connection before it can say so. */
  function forgetful(): Store {
    const store = openMemoryStore()
    const lost = async () => Promise.reject(new StoreUnavailable('connection lost'))
    return {
      ...store,
      elicitations: {
        ...store.elicitations,
        add: (...args) => store.elicitations.add(...args).then(lost),
        saveIfUnchanged: (next: Elicitation) => store.elicitations.saveIfUnchanged(next).then(lost),
      },
    }
  }

  test('no question is open and no answer counts that the audit does not know', async () => {
    const store = forgetful()
    const assent = await anAssent({ store, clock: fixedClock() })
    await expect(assent.ask(anAsk())).rejects.toMatchObject({ code: 'store_unavailable' })
    const [open] = await assent.listOpen({ participant: alice, groups: [] }, 1)
    await expect(assent.answer(open?.id as never, onPage(alice), { action: 'cancel' })).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    expect((await assent.get(open?.id as never))?.state.kind).toBe('answered')
    expect(await kindsIn(assent)).toEqual(['chain-opened', 'question-asked', 'question-answered'])
  })

  test('an audit that cannot be written lets nothing be asked or answered', async () => {
    const store = openMemoryStore()
    const assent = await anAssent({ store, clock: fixedClock() })
    const { elicitation } = await assent.ask(anAsk())
    appendsLater(store.audit).append = async () => Promise.reject(new StoreUnavailable('disk full'))
    await expect(assent.ask(anAsk({ about: 'another' }))).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(assent.answer(elicitation.id, onPage(alice), { action: 'cancel' })).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    expect(await assent.listOpen({ participant: alice, groups: [] }, 9)).toEqual([elicitation])
  })

  test('an answer that came too late is recorded as that', async () => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(anAsk())
    await Promise.all([1, 2].map(() => assent.answer(elicitation.id, onPage(alice), { action: 'cancel' })))
    const kinds = await kindsIn(assent)
    expect(kinds.filter((kind) => kind === 'question-answered')).toHaveLength(2)
    expect(kinds.filter((kind) => kind === 'settling-late')).toHaveLength(1)
  })
})

describe('settings that cannot be read', () => {
  test.each([
    { retain: { settled: '30 days' } },
    { retain: { audit: -1 } },
    { clocks: { question: Number.NaN } },
    { clocks: { tidy: '1 minute' } },
  ])('%j stop the start', async (options) => {
    await expect(createAssent({ store: 'memory:', ...options })).rejects.toMatchObject({ code: 'bad_argument' })
  })

  test('a limit left undefined is the default', async () => {
    const assent = await anAssent({ limits: { openPerRequester: undefined as never } })
    expect(assent.limits.openPerRequester).toBe(100)
  })
})

test('questions whose time is over do not count as open', async () => {
  const clock = fixedClock()
  const assent = await anAssent({ clock, limits: { openPerRequester: 1 } })
  const first = await assent.ask(anAsk())
  clock.advance(640_000)
  expect((await assent.ask(anAsk({ about: 'another' }))).joined).toBe(false)
  expect((await assent.get(first.elicitation.id))?.state.kind).toBe('expired')
})

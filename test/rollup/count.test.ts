import { describe, expect, test } from 'vitest'
import { createEvents } from '../../src/base/events.ts'
import type { ElicitationNews } from '../../src/elicitation/desk.ts'
import { defaultRollupLimits, startCounting } from '../../src/rollup/count.ts'
import type { RollupKind, RollupSum } from '../../src/rollup/rollup.ts'
import type { RollupStore } from '../../src/rollup/store.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { alice, anElicitation, answered, fixedClock } from '../../src/testing/index.ts'

const span = {
  period: 'hour',
  from: new Date('2000-01-01T00:00:00Z'),
  until: new Date('2100-01-01T00:00:00Z'),
} as const
const many = 1_000

function place({ countedNames = defaultRollupLimits.countedNames, store = openMemoryStore().rollups } = {}) {
  const events = createEvents<ElicitationNews>()
  const clock = fixedClock()
  const counting = startCounting({ store, events, clock, limits: { countedNames }, writeMs: 0 })
  const sums = async (kind: RollupKind): Promise<RollupSum[]> => {
    await counting.write()
    return (await store.sum(kind, span, many)).toSorted((one, other) => (text(one) < text(other) ? -1 : 1))
  }
  const ended = (tool: string, outcome: string) =>
    counting.see({ kind: 'call-finished', data: { server: 'files', tool, outcome } })
  return { counting, events, clock, store, sums, ended }
}

const text = ({ server, name, outcome }: RollupSum) => [server, name, outcome].join(' ')
const rowsOf = (sums: readonly RollupSum[]) => sums.map((one) => `${text(one)} ${one.count}`)

describe('counting', () => {
  test('calls are counted by tool and by server, however they ended', async () => {
    const { ended, counting, sums } = place()
    ended('read', 'done')
    ended('read', 'done')
    ended('write', 'failed')
    counting.see({ kind: 'call-refused', data: { server: 'files', tool: 'write', ruleDigest: 'r2' } })
    counting.see({ kind: 'hook-answered', data: { server: 'claude-code', tool: 'Bash', answer: 'allow' } })
    counting.see({ kind: 'hook-answered', data: { server: 'claude-code', tool: 'Bash', answer: 'deny' } })
    expect(rowsOf(await sums('tools'))).toEqual([
      'claude-code Bash left-to-client 1',
      'files read done 2',
      'files write failed 1',
      'files write refused 1',
    ])
    expect(rowsOf(await sums('calls'))).toEqual([
      'claude-code  left-to-client 1',
      'files  done 2',
      'files  failed 1',
      'files  refused 1',
    ])
  })

  test('a call that was stopped after it had started is counted once, by its end', async () => {
    const { ended, counting, sums } = place()
    counting.see({ kind: 'call-refused', data: { server: 'files', tool: 'read', started: true } })
    ended('read', 'failed')
    expect(rowsOf(await sums('tools'))).toEqual(['files read failed 1'])
  })

  test('rules are counted when they let a call run, and when they refuse one', async () => {
    const { counting, sums } = place()
    counting.see({ kind: 'call-started', data: { server: 'files', tool: 'read', ruleDigest: 'r1' } })
    counting.see({ kind: 'call-refused', data: { server: 'files', tool: 'read', ruleDigest: 'r1' } })
    counting.see({ kind: 'call-refused', data: { server: 'files', tool: 'unknown' } })
    expect(rowsOf(await sums('rules'))).toEqual([' r1 ran 1', ' r1 refused 1'])
  })

  test('questions are counted by outcome, and how long people took who answered', async () => {
    const { events, sums } = place()
    const asked = anElicitation({ requester: { participant: alice, client: 'claude-code' } })
    events.tell({ kind: 'asked', elicitation: asked })
    events.tell({ kind: 'joined', elicitation: asked })
    events.tell({ kind: 'settled', elicitation: answered(asked), outcome: 'accepted' })
    events.tell({ kind: 'carried-asked', server: 'mail', mode: 'form', purpose: 'input' })
    events.tell({
      kind: 'carried-answered',
      server: 'mail',
      mode: 'form',
      purpose: 'input',
      action: 'decline',
      waitedMs: 100_000_000,
    })
    events.tell({ kind: 'fallback', server: 'mail', reason: 'no-form' })
    const { server } = asked.origin
    expect(rowsOf(await sums('asks'))).toEqual(
      [
        `${server} ${asked.purpose} accepted 1`,
        `${server} ${asked.purpose} asked 1`,
        'mail input asked 1',
        'mail input declined 1',
      ].sort(),
    )
    expect((await sums('waits')).map(({ name }) => name)).toEqual([expect.stringMatching(/^\d+$/), 'more'])
    expect(rowsOf(await sums('fallbacks'))).toEqual(['mail no-form fallback 1'])
  })

  test('questions about calls are counted by tool, and other questions are not', async () => {
    const { events, sums } = place()
    const subject = { call: { tool: 'write_file' }, decision: { ruleDigest: 'r1' } }
    const asked = anElicitation({ purpose: 'approval', subject })
    events.tell({ kind: 'asked', elicitation: asked })
    events.tell({ kind: 'asked', elicitation: anElicitation() })
    events.tell({ kind: 'settled', elicitation: answered(asked), outcome: 'accepted' })
    expect(rowsOf(await sums('asked'))).toEqual([
      `${asked.origin.server} write_file accepted 1`,
      `${asked.origin.server} write_file asked 1`,
    ])
  })

  test('attack: a client that calls tools by many names hides neither rules nor questions', async () => {
    const { ended, counting, sums } = place({ countedNames: 3 })
    for (let call = 0; call < 100; call += 1) ended(`tool-${call}`, 'done')
    counting.see({ kind: 'call-started', data: { server: 'files', tool: 'read', ruleDigest: 'r1' } })
    expect(rowsOf(await sums('rules'))).toEqual([' r1 ran 1'])
  })

  test('attack: a client calls tools by a new name each time', async () => {
    const { ended, sums, clock } = place({ countedNames: 3 })
    for (let call = 0; call < 100; call += 1) ended(`tool-${call}`, 'done')
    ended('tool-1', 'done')
    expect(rowsOf(await sums('tools'))).toEqual([
      '  done 97',
      'files tool-0 done 1',
      'files tool-1 done 2',
      'files tool-2 done 1',
    ])
    clock.advance(3_600_000)
    ended('tool-99', 'done')
    expect(rowsOf(await sums('tools'))).toContain('files tool-99 done 1')
  })

  test('attack: a name that no store could keep, or that is very long', async () => {
    const { ended, sums } = place()
    for (const name of ['a\0b', 'a\nb', '\ud800', 'x'.repeat(201)]) ended(name, 'done')
    expect(rowsOf(await sums('tools'))).toEqual(['  done 4'])
  })

  test('what the store did not take is added by the next write', async () => {
    const { rollups } = openMemoryStore()
    let isDown = true
    const store: RollupStore = {
      ...rollups,
      add: (all) => (isDown ? Promise.reject(new Error('down')) : rollups.add(all)),
    }
    const { ended, counting, sums } = place({ store })
    ended('read', 'done')
    await expect(counting.write()).rejects.toThrow('down')
    ended('read', 'done')
    isDown = false
    expect(rowsOf(await sums('tools'))).toEqual(['files read done 2'])
    expect(rowsOf(await sums('tools'))).toEqual(['files read done 2'])
  })
})

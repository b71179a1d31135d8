import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { RuleSettings } from '../../src/approval/policy/policy-settings.ts'
import { type Asked, connect11, connect26, connectOld, type Reply } from '../support/asking/asking-clients.ts'
import { anAssent, testKeys } from '../support/assents.ts'
import { anotherProcess } from '../support/processes/another-process.ts'
import { compiled } from '../support/programs.ts'
import { allowOnce, answerOnPage, approving, deny } from '../support/server/approving.ts'
import { nextAsked, participantOf, promised, until } from '../support/server/servers.ts'
import { outcomeOf, said, send, stateIn } from '../support/server/tools-on-wire.ts'
import { serverStores } from '../support/stores.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { alice, bob, policy } from './approving-policy.ts'

const clients = [
  ['2025-11-25 by SDK 1.32', connectOld],
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
] as const

describe('a hundred identical calls at once', () => {
  test.each(clients)(
    'one yes runs one of them, and one no to the next question ends the others (%s)',
    async (_, how) => {
      const { connect, deeds, assent } = await approving({ rules: [{ decide: 'ask' }] })
      const client = await connect(how)
      const shown: { asked: Asked; reply(reply: Reply): void }[] = []
      client.answers((asked) => {
        const { promise, keep } = promised<Reply>()
        shown.push({ asked, reply: keep })
        return promise
      })
      const answerFrom = (start: number, how: (asked: Asked) => Reply) => {
        for (const { asked, reply } of shown.slice(start)) reply(how(asked))
      }
      const open = async () => (await assent.listOpen({ participant: 'local' as never, groups: [] }, 10)).length

      const calls = Array.from({ length: 100 }, () => client.call('deploy', { env: 'live' }))
      await until(() => shown.length === 100)
      expect(await open()).toBe(1)
      shown[0]?.reply(allowOnce(shown[0].asked))
      await until(() => deeds.length === 1)
      // What is said to a question that was answered already is no answer to the next one.
      answerFrom(1, allowOnce)
      await until(() => shown.length === 199)
      expect({ deeds, open: await open() }).toEqual({ deeds: ['deploy live'], open: 1 })

      shown[100]?.reply(deny(shown[100].asked))
      await until(async () => (await open()) === 0)
      answerFrom(101, allowOnce)
      const ends = await Promise.all(calls)
      expect(ends.filter(({ isError }) => !isError)).toHaveLength(1)
      expect(ends.filter(({ outcome }) => outcome?.status === 'denied')).toHaveLength(99)
      expect(deeds).toEqual(['deploy live'])
      expect(shown).toHaveLength(199)
    },
  )
})

describe('killed and restarted', () => {
  test('while 500 approvals wait, all are still answerable, and each runs exactly once', async () => {
    const folder = await temporaryFolder()
    const store = `sqlite:${join(folder, 'assent.db')}`
    const deeds = join(folder, 'deeds')
    await writeFile(deeds, '')
    const done = async () => (await readFile(deeds, 'utf8')).split('\n').filter(Boolean)
    const numbers = Array.from({ length: 250 }, (_, n) => n)
    const call = (url: URL, name: string, n: number, state?: string) =>
      send(url, {
        name,
        args: { n },
        ...(state !== undefined && {
          state,
          responses: { 'approval of the call': { action: 'accept', content: { choice: 'allow_once' } } },
        }),
      })

    const first = await approvingProcess(store, deeds)
    const states = await Promise.all(numbers.map(async (n) => stateIn(await call(first.url, 'deploy', n))))
    const waiting = await Promise.all(numbers.map((n) => call(first.url, 'pay', n)))
    expect(new Set(waiting.map(outcomeOf))).toEqual(new Set(['pending']))
    await first.kill()
    expect(await done()).toEqual([])

    const second = await approvingProcess(store, deeds)
    const here = await anAssent({ store, policy })
    const openTo = (participant: typeof bob) => here.listOpen({ participant, groups: [] }, 1_000)
    expect(await openTo(alice)).toHaveLength(250)
    const bobs = await openTo(bob)
    expect(bobs).toHaveLength(250)
    for (const asked of bobs) expect((await answerOnPage(here, asked, bob)).kind).toBe('kept')

    // Each client is impatient, and sends what it sends twice.
    const ends = await Promise.all(
      numbers.flatMap((n) => [
        call(second.url, 'deploy', n, states[n]),
        call(second.url, 'deploy', n, states[n]),
        call(second.url, 'pay', n),
        call(second.url, 'pay', n),
      ]),
    )
    const all = numbers.flatMap((n) => [`deploy ${n}`, `pay ${n}`])
    expect((await done()).sort()).toEqual(all.sort())
    expect(ends.filter((end) => said(end).startsWith('done'))).toHaveLength(500)
    expect(ends.filter((end) => outcomeOf(end) === 'already-run')).toHaveLength(250)
    expect(ends.filter((end) => outcomeOf(end) === 'pending')).toHaveLength(250)
  })
})

const waitingClients = Object.entries(serverStores).flatMap(([name, address]) =>
  clients.slice(1).map(([revision, how]) => [name, revision, how, address] as const),
)

test.each(waitingClients)(
  'an approver on another process of the same %s lets it go on here (%s)',
  async (_name, _revision, how, address) => {
    const store = await address()
    const other = await anotherProcess(store)
    const rules: RuleSettings[] = [{ decide: 'ask', approvers: [participantOf('bob')] }]
    const assent = await anAssent({ store, policy: { rules } })
    const { connect, deeds } = await approving({ assent, withLogin: true, clocks: { hold: '2m' } })
    const client = await connect(how, { token: 'alice' })

    const asking = nextAsked(assent)
    const call = client.call('deploy', { env: 'live' })
    const there = { answer: (...args: Parameters<typeof assent.answer>) => other.call('answer', ...args) }
    const answered = await answerOnPage(there, await asking, participantOf('bob'))
    expect(answered.kind).toBe('kept')
    expect((await call).text).toBe('deployed live')
    expect({ deeds, asked: client.asked }).toEqual({ deeds: ['deploy live'], asked: [] })
  },
)

/** The server in a process of its own, which can be killed. */
async function approvingProcess(store: string, deeds: string) {
  const child = fork(compiled(new URL('./approving-process.ts', import.meta.url)), [store, deeds], {
    execArgv: [],
    env: { ...process.env, ASSENT_KEYS: testKeys },
  })
  onTestFinished(() => killed(child))
  const [url] = (await once(child, 'message')) as [string]
  return { url: new URL(url), kill: () => killed(child) }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

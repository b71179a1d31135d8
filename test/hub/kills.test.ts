import { type JoinedSpace, joinSpace } from 'assent/hub'
import { expect, onTestFinished, test } from 'vitest'
import { localParticipant } from '../../src/participant/participant.ts'
import { testKeys } from '../support/assents.ts'
import { envelope, type Heard, startInstances } from '../support/hub/hub.ts'
import { approveWhileKilling, startKilledHub } from '../support/hub/killed-hub.ts'
import { serverStores } from '../support/stores.ts'
import { temporaryFolder } from '../support/temporary.ts'

test('approvals among agents while the hub is killed: none is lost, none runs twice, none ends in silence', async () => {
  const [agents, calls, kills] = [8, 40, 3]
  const hub = await startKilledHub(`sqlite:${await temporaryFolder()}/hub.db`, agents)
  onTestFinished(hub.stop)
  const { runs, ends } = await approveWhileKilling(hub, agents, calls, kills)
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason)))).toEqual(
    ends.map((_, n) => `did ${n}`),
  )
  expect([...runs.values()].filter((count) => count !== 1)).toEqual([])
  expect(runs.size).toBe(calls)
})

test.each(Object.entries(serverStores))(
  'an instance that is killed: its people leave once its lease is over, and what it held is asked and run from another, on %s',
  async (_, freshStore) => {
    const store = await freshStore()
    const participants = {
      'user-1': { kind: 'human', token: 'token-of-user', participant: localParticipant },
      'agent-0': { kind: 'agent', token: 'token-0', for: 'user-1', may: ['*'] },
      'agent-1': { kind: 'agent', token: 'token-1', for: 'user-1', may: ['*'] },
    } as const
    const [alive] = await startInstances(store, 1, { participants })
    const doomed = await startKilledHub(store, 2, testKeys)
    onTestFinished(doomed.stop)
    const user = await alive?.raw('user-1')
    const b = await alive?.join('agent-1')
    const runs: unknown[] = []
    await b?.serveTools({ work: { run: () => `run ${runs.push('run')}` } })
    const a = await joinSpace({ url: doomed.url, token: 'token-0' })
    const left = new Promise<string>((resolve) => {
      b?.onPresence(({ event, participant, reason = '' }) => {
        if (event === 'leave' && participant?.id === 'agent-0') resolve(reason)
      })
    })
    const called = a.call('agent-1', 'work')
    const question = await user?.hears((heard) => heard.payload?.method === 'elicitation/create')
    doomed.stop()
    expect(await left).toBe('The instance that served this participant is gone.')
    // Asked again by the one that took over.
    const isQuestion = (heard: Heard) => heard.payload?.method === 'elicitation/create'
    await expect.poll(() => user?.heard.filter(isQuestion).length).toBe(2)
    const result = { action: 'accept', content: { approve: true } }
    user?.send(envelope('user-1', ['assent'], { jsonrpc: '2.0', id: question?.payload.id, result }))
    await expect.poll(() => runs.length).toBe(1)
    await doomed.restart()
    expect((await called).content).toEqual([{ type: 'text', text: 'run 1' }])
    expect(runs).toHaveLength(1)
    await a.close()
  },
)

test('after a restart of the hub all connected agents come back', async () => {
  const agents = 200
  const hub = await startKilledHub(`sqlite:${await temporaryFolder()}/hub.db`, agents)
  onTestFinished(hub.stop)
  const spaces: JoinedSpace[] = []
  // Not all at once: however slow the machine is, none waits too long.
  for (let n = 0; n < agents; n += 20) {
    const some = Array.from({ length: 20 }, (_, index) => joinSpace({ url: hub.url, token: `token-${n + index}` }))
    spaces.push(...(await Promise.all(some)))
  }
  const back = spaces.map(
    (space) =>
      new Promise<void>((resolve) => {
        space.onPresence(({ event }) => (event === 'joined' ? resolve() : undefined))
      }),
  )
  await hub.killAndRestart()
  const started = performance.now()
  await Promise.all(back)
  process.stdout.write(`200 agents were back ${Math.round(performance.now() - started)} ms after the hub listened\n`)
  expect(spaces.every((space) => space.participants().length > 0)).toBe(true)
  await Promise.all(spaces.map((space) => space.close()))
})

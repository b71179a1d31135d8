import { joinSpace } from 'assent/hub'
import { expect, onTestFinished, test } from 'vitest'
import { approveWhileKilling, startKilledHub } from '../support/hub/killed-hub.ts'
import { temporaryFolder } from '../support/temporary.ts'

test('approvals among agents while the hub is killed: none is lost, none runs twice, none ends in silence', async () => {
  const [agents, calls, kills] = [8, 40, 3]
  const hub = await startKilledHub(await temporaryFolder(), agents)
  onTestFinished(hub.stop)
  const { runs, ends } = await approveWhileKilling(hub, agents, calls, kills)
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason)))).toEqual(
    ends.map((_, n) => `did ${n}`),
  )
  expect([...runs.values()].filter((count) => count !== 1)).toEqual([])
  expect(runs.size).toBe(calls)
})

test('after a restart of the hub all connected agents come back', async () => {
  const agents = 200
  const hub = await startKilledHub(await temporaryFolder(), agents)
  onTestFinished(hub.stop)
  const spaces = await Promise.all(
    Array.from({ length: agents }, (_, index) => joinSpace({ url: hub.url, token: `token-${index}` })),
  )
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

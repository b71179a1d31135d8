import { expect, onTestFinished, test } from 'vitest'
import { type Connect, connect11, connect26 } from '../support/asking/asking-clients.ts'
import { freePort } from '../support/free-port.ts'
import { start } from './programs.ts'

const clients: [string, Connect][] = [
  ['2025', connect11],
  ['2026', connect26],
]

test.each(clients)('a client of %s that only says that it shows forms is not sent one', async (_, connect) => {
  const port = await freePort()
  await start('quirk/main.ts', [], { PORT: port }).prints(/served/)
  const url = new URL(`http://127.0.0.1:${port}/mcp`)
  const as = async (version: string, elicitation: object) => {
    const info = { name: 'sleepy-editor', version }
    const client = await connect({ url }, { info, elicitation: { ...elicitation } })
    onTestFinished(() => client.close())
    client.answers(({ mode }) =>
      mode === 'url' ? { action: 'decline' } : { action: 'accept', content: { branch: 'main' } },
    )
    return client
  }

  const healed = await as('2.1.0', { form: {} })
  expect(await healed.call('deploy')).toMatchObject({ text: 'Deployed main.', isError: false })

  const sleepy = await as('2.0.9', { form: {}, url: {} })
  expect(await sleepy.call('deploy')).toMatchObject({ isError: true, outcome: { status: 'declined' } })
  expect(sleepy.asked.map(({ mode }) => mode)).toEqual(['url'])

  const withoutPages = await as('2.0.9', { form: {} })
  await withoutPages.call('deploy').catch(() => {})
  expect(withoutPages.asked).toEqual([])
})

import { expect, test } from 'vitest'
import { soak } from '../../soak/soak.ts'

test('a gateway survives broken messages from both sides and kills during calls, and loses no question', async () => {
  const lines: string[] = []
  await soak({ seed: 20_260_728, messages: 1_500, kills: 3, hungry: 0, print: (line) => lines.push(line) })
  expect(lines).toEqual([
    expect.stringMatching(/^client side: 15\d\d broken messages, all answered/),
    expect.stringMatching(/^memory: /),
    expect.stringMatching(/^upstream side: \d{4,} broken messages, every call ended/),
    expect.stringMatching(/^memory: /),
    expect.stringMatching(/^kills: /),
    expect.stringMatching(/^calls meanwhile: \d+, each ended for its client/),
    expect.stringMatching(/none lost$/),
    expect.stringMatching(/none of them twice$/),
  ])
})

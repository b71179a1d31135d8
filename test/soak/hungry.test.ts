import { expect, test } from 'vitest'
import { soakHungry } from '../../soak/soak.ts'

test('with a heap of 512 MB, memory-hungry clients and upstreams neither kill a gateway nor stop honest calls', async () => {
  const lines: string[] = []
  await soakHungry({ rounds: 1, print: (line) => lines.push(line) })
  expect(lines).toEqual([
    expect.stringMatching(/^hungry: \d+ requests, each ended/),
    expect.stringMatching(/^memory: heap at most \d+ MB of 512/),
    expect.stringMatching(/^honest: [1-9]\d* calls, all ran; p50 .* p99 /),
  ])
})

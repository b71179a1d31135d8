import { expect, test } from 'vitest'
import { soakInstances } from '../../soak/instances/instances.ts'

test.each(['postgres', 'redis'] as const)(
  'three instances on %s survive kills, and one of their store, with no wrong yes, no lost question and no silence',
  async (store) => {
    const lines: string[] = []
    await soakInstances({
      ...{ store, seed: 20_260_728, kills: 2, everyMs: 2_500, restartAfter: 2, callers: 6 },
      print: (line) => lines.push(line),
    })
    expect(lines).toEqual([
      `${store}: survived 2 kills of an instance and 1 of the store's server`,
      expect.stringMatching(/^calls: \d+ of clients of both eras, each came to its end/),
      expect.stringMatching(/^sent to each instance: \d+, \d+, \d+$/),
      expect.stringMatching(/^runs: \d+ calls ran, none twice, none without a yes$/),
      expect.stringMatching(/^audit: \d+ events, nothing found wrong$/),
    ])
  },
  240_000,
)

import { describe, expect, test } from 'vitest'
import { audited } from '../support/approval/approving.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { allowOnce } from '../support/server/approving.ts'
import { say, until } from '../support/server/servers.ts'
import { breakable } from '../support/stores/breakable.ts'

const clients = [
  ['2025', connect11],
  ['2026', connect26],
] as const
const sent = (run: () => void) => {
  run()
  return say('sent the mail')
}
const upstreams = {
  '2025': (run: () => void) => oldServer((server) => void server.registerTool('send', {}, async () => sent(run))),
  '2026': (run: () => void) => newServer((server) => void server.registerTool('send', {}, () => sent(run))),
}

describe.each(Object.entries(upstreams))('a store that is lost while an upstream of %s runs a call', (_era, start) => {
  describe.each(clients)('of a client of %s', (_client, how) => {
    test.each([
      ['that policy allows, at /mcp', 'allow', undefined],
      ['that policy allows, at /mcp/{server}', 'allow', 'up'],
      ['that a person approved', 'ask', 'up'],
    ] as const)('%s: the client gets the result, and the audit the end, later', async (_name, decide, only) => {
      const { store, fault } = breakable()
      let runs = 0
      const url = await start(() => {
        runs += 1
        fault.isDown = true
      })
      const policy = { default: decide, fallback: 'inbox' } as const
      const { connect, assent } = await gated({ up: { url } }, { assentOptions: { store, policy } })
      const client = await connect(how, only === undefined ? {} : { only })
      client.answers(allowOnce)
      let isTold = false
      assent.events.listen(({ kind }) => {
        isTold ||= kind === 'end-unrecorded'
      })
      const { text, isError } = await client.call(only === undefined ? 'up__send' : 'send')
      expect({ text, isError, runs }).toEqual({ text: 'sent the mail', isError: false, runs: 1 })
      await until(() => isTold)
      fault.isDown = false
      await expect
        .poll(() => audited(assent, 'call-finished'))
        .toMatchObject([{ data: { outcome: 'done', late: true } }])
    })
  })
})

import { describe, expect, test } from 'vitest'
import type { RuleSettings } from '../../src/approval/policy/policy-settings.ts'
import type { Assent } from '../../src/assent.ts'
import { bellChannel } from '../../src/cli/serve/bell.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { aLocalCall, askedAbout } from '../support/approval/local-call.ts'
import { anAssent } from '../support/assents.ts'
import { fakeTerminal } from '../support/client/fake-terminal.ts'

async function aGateway({ isTTY = true, env = {}, page = false }) {
  const clock = fixedClock()
  const terminal = fakeTerminal({ isTTY })
  const settled = (id: Parameters<Assent['wait']>[0]) => assent.wait(id)
  const bell = bellChannel({ output: terminal.output, env, settled, clock })
  const rules: RuleSettings[] = [{ tool: '*', decide: 'ask', ...(page && { answer: 'page' }) }]
  const assent: Assent = await anAssent({ clock, channels: [bell], policy: { rules } })
  return { assent, clock, shown: terminal.shown }
}

describe('the bell', () => {
  test('rings at once for what no client may show, with the link, and tells how it ended', async () => {
    const { assent, clock, shown } = await aGateway({ page: true, env: { NO_COLOR: '1' } })
    const { id } = await askedAbout(assent)
    clock.advance(0)
    expect(shown()).toBe(
      `\x07A program that calls itself Claude Code wants to run write_file on files. It waits for local, until 2026-01-01 00:10 UTC:\n` +
        `  http://127.0.0.1:4180/elicit/${id}/approve\n`,
    )
    await assent.withdrawAsObsolete(id, 'policy-changed')
    await expect
      .poll(shown)
      .toContain('A program that calls itself Claude Code wants to run write_file on files: cancelled.\n')
  })

  test('writes the name of a verified client as it is, and says that a question is answered', async () => {
    const { assent, clock, shown } = await aGateway({ page: true, env: { NO_COLOR: '1' } })
    const agent = 'agent-a@hub:demo'
    const requester = { participant: localParticipant, client: agent, agents: [agent] }
    const { id } = await askedAbout(assent, aLocalCall({ requester }))
    clock.advance(0)
    expect(shown()).toContain('\x07agent-a@hub:demo wants to run write_file on files.')
    const page = { participant: localParticipant, groups: [], via: 'page' } as const
    await assent.answer(id, page, { action: 'accept', content: { choice: 'allow_once' } })
    await expect.poll(shown).toContain('agent-a@hub:demo wants to run write_file on files: answered.\n')
  })

  test('gives a client that may show it some time first, and is silent about what is answered by then', async () => {
    const { assent, clock, shown } = await aGateway({})
    const answered = await askedAbout(assent)
    await assent.withdrawAsObsolete(answered.id, 'policy-changed')
    clock.advance(9_000)
    expect(shown()).toBe('')
    await askedAbout(assent)
    clock.advance(9_999)
    expect(shown()).toBe('')
    clock.advance(1)
    expect(shown()).toContain('It waits for local')
    await assent.close()
    expect(shown().split('\n')).toHaveLength(3)
  })

  test.each([
    { isTTY: false, env: {} },
    { isTTY: true, env: { TERM: 'dumb' } },
  ])('writes plain lines where nobody hears it: %j', async ({ isTTY, env }) => {
    const { assent, clock, shown } = await aGateway({ page: true, isTTY, env })
    await askedAbout(assent)
    clock.advance(0)
    expect(shown()).toMatch(/^[\x20-\x7e\n]+$/)
  })

  test('is set in bold unless NO_COLOR says otherwise', async () => {
    const { assent, clock, shown } = await aGateway({ page: true })
    await askedAbout(assent)
    clock.advance(0)
    expect(shown()).toContain('\x1b[1mA program that calls itself Claude Code')
  })
})

import { expect, test } from 'vitest'
import type { Grant, GrantId } from '../../src/approval/grant/grant.ts'
import { grantSentence } from '../../src/approval/grant/grant-sentence.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { alice } from '../support/approval/a-call.ts'

const now = new Date('2026-11-16T12:00:00Z')
const grant: Grant = {
  id: 'g' as GrantId,
  version: 1,
  effect: 'allow',
  participant: alice,
  client: 'claude-code',
  server: 'github',
  tool: 'create_issue',
  uses: { kind: 'many' },
  grantedBy: alice,
  createdAt: now,
}
const { client: _, tool: __, ...wide } = grant
const once = { kind: 'once', requester: 'r', call: 'c' } as const
const soon = new Date('2027-01-05T09:30:00Z')
const before = new Date('2026-11-01T09:30:00Z')

test.each<[Grant, string]>([
  [grant, 'Allows claude-code to run create_issue on github, until it is revoked.'],
  [{ ...grant, expiresAt: soon }, 'Allows claude-code to run create_issue on github, until 5 Jan 2027, 09:30.'],
  [{ ...grant, expiresAt: before }, 'Allows claude-code to run create_issue on github. Ended on 1 Nov 2026, 09:30.'],
  [
    { ...grant, revoked: { at: before, by: alice } },
    'Allows claude-code to run create_issue on github. Revoked on 1 Nov 2026, 09:30.',
  ],
  [
    { ...grant, client: 'a@hub:ops', agents: ['c@hub:ops', 'a@hub:ops'] },
    'Allows a@hub:ops acting for c@hub:ops to run create_issue on github, until it is revoked.',
  ],
  [wide, 'Allows every client to run every tool of github, until it is revoked.'],
  [{ ...wide, effect: 'deny' }, 'Denies every client from running every tool of github, until it is revoked.'],
  [
    { ...grant, uses: once, expiresAt: soon },
    'Allows claude-code to run create_issue on github, once, until 5 Jan 2027, 09:30.',
  ],
  [
    { ...grant, uses: { ...once, spent: { at: before, walk: 'w' } }, expiresAt: soon },
    'Allows claude-code to run create_issue on github, once, which it did on 1 Nov 2026, 09:30.',
  ],
  [
    { ...grant, tool: 'create\u202eissue' },
    'Allows claude-code to run create‹U+202E›issue on github, until it is revoked.',
  ],
])('a grant reads as a sentence (%#)', (kept, sentence) => {
  expect(grantSentence(kept, { now })).toBe(sentence)
})

test('where no login verified the client, no more is said than is known', () => {
  const local = { ...grant, participant: localParticipant }
  const sentence = (kept: Grant, clientName?: string) =>
    grantSentence(kept, { now, ...(clientName !== undefined && { clientName }) })
  expect(sentence({ ...local, client: 'local' }, 'Claude Code')).toMatch(/^Allows any program on this machine to run/)
  expect(sentence(local, 'Claude Code')).toMatch(
    /^Allows any program on this machine that calls itself claude-code to run/,
  )
  expect(sentence({ ...wide, participant: localParticipant })).toMatch(/^Allows every program on this machine to run/)
  expect(sentence({ ...grant, tool: 'x'.repeat(81) })).toContain(`run ${'x'.repeat(80)}… (1 more character) on github`)
})

test('a client is called as people call it, with its id beside it', () => {
  const sentence = (clientName: string) => grantSentence(grant, { now, clientName })
  expect(sentence('Claude Code')).toMatch(/^Allows Claude Code \(claude-code\) to run/)
  expect(sentence('claude-code')).toMatch(/^Allows claude-code to run/)
})

test('dates are those of the reader', () => {
  const kept = { ...grant, expiresAt: soon }
  expect(grantSentence(kept, { now, locale: 'de-DE', timeZone: 'Europe/Berlin' })).toContain('05.01.2027, 10:30')
})

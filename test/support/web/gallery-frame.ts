import type { AskedFacts, Frame } from '../../../src/web/pages/props.ts'

export const nonce = 'bm9uY2U'

export const frame: Frame = {
  nonce,
  look: { primaryColor: '#007bff', title: 'Assent' },
  locale: 'en-GB',
  now: new Date('2026-11-16T09:00:30Z'),
  csrf: 'csrf-of-this-browser',
  viewer: { name: 'ada@example.com', canSignOut: true },
}

export const asked: AskedFacts = {
  server: 'github',
  client: 'Claude Code',
  asker: 'Claude Code',
  message: 'Which repository should the release notes go to, and who reviews them?',
  action: '/elicit/0192/form',
  createdAt: new Date('2026-11-16T09:00:00Z'),
  expiresAt: new Date('2026-11-16T09:10:00Z'),
}

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type MailOptions, mailChannel } from '../../src/channels/mail/index.ts'
import type { Ask } from '../../src/index.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { alice, anAsk, bob, onPage } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'

interface Mail {
  readonly to: readonly string[]
  readonly text: string
}

interface Server {
  /** Answers to the next mails; then they are taken. */
  readonly refusals?: number[]
  readonly needsLogin?: boolean
}

/** A real SMTP server on this machine. */
async function aMailServer({ refusals = [], needsLogin = false }: Server = {}) {
  const mails: Mail[] = []
  const logins: string[] = []
  const server = new SMTPServer({
    authOptional: !needsLogin,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth({ username = '', password = '' }, _session, done) {
      logins.push(`${username}:${password}`)
      if (password === 'p@ss') done(null, { user: username })
      else done(new Error('Wrong password hunter2'))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk) => chunks.push(chunk))
      stream.on('end', () => {
        const refusal = refusals.shift()
        if (refusal !== undefined) return done(Object.assign(new Error('No hunter2'), { responseCode: refusal }))
        mails.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        })
        done()
      })
    },
  })
  server.on('error', () => {})
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { at: `127.0.0.1:${(listening.address() as AddressInfo).port}`, mails, logins }
}

async function anAssentMailing(options: Partial<MailOptions> & Pick<MailOptions, 'smtp'>) {
  const clock = fixedClock('2026-05-01T10:00:00Z')
  const to = { [alice]: ['alice@example.com'], 'group:ops': ['bob@example.com', 'carol@example.com'] }
  const channel = mailChannel({ from: 'Assent <assent@example.com>', to, retries: [2_000], clock, ...options })
  const assent = await anAssent({ clock, channels: [channel], publicUrl: 'https://assent.example.com' })
  onTestFinished(() => channel.close?.())
  const failed: string[] = []
  assent.events.listen((news) => {
    if (news.kind === 'channel-failed') failed.push(`${news.channel}: ${(news.error as Error).message}`)
  })
  return { assent, clock, failed, channel }
}

const toOps: Partial<Ask> = { anyOf: ['group:ops'] }

describe('mail', () => {
  test('goes to those who are asked, with a link and nothing of what is asked', async () => {
    const { at, mails } = await aMailServer()
    const { assent } = await anAssentMailing({ smtp: `smtp://${at}` })
    const { elicitation } = await assent.ask(anAsk())
    await expect.poll(() => mails.length).toBe(1)
    const [{ to, text }] = mails as [Mail]
    expect(to).toEqual(['alice@example.com'])
    expect(text).toContain('Subject: Assent: github needs an answer')
    expect(text).toContain('From: Assent <assent@example.com>')
    expect(text).toContain('Auto-Submitted: auto-generated')
    expect(text.replaceAll(/=\r?\n/g, '')).toContain(`https://assent.example.com/elicit/${elicitation.id}/form`)
    expect(text).toContain('2026-05-01 10:10 UTC')
    expect(text).not.toMatch(/Which branch|Claude Code|claude-code/)
  })

  test('goes to every address of a group, and nobody is told of a settled question', async () => {
    const { at, mails } = await aMailServer()
    const { assent, failed } = await anAssentMailing({ smtp: `smtp://${at}` })
    const { elicitation } = await assent.ask(anAsk(toOps))
    await expect.poll(() => mails.flatMap(({ to }) => to).sort()).toEqual(['bob@example.com', 'carol@example.com'])
    await assent.answer(elicitation.id, onPage(bob, ['ops']), { action: 'decline' })
    // Bob has no address of his own, and there is none for the rest.
    await assent.ask(anAsk({ requester: { participant: bob, client: 'c' } }))
    await assent.ask(anAsk({ ...toOps, priority: 'urgent' }))
    await expect.poll(() => mails.length).toBe(4)
    expect(failed).toEqual([])
  })

  test('an urgent question is sent at once, marked, though others are gathered', async () => {
    const { at, mails } = await aMailServer()
    const { assent, clock } = await anAssentMailing({ smtp: `smtp://${at}` })
    await assent.ask(anAsk())
    await expect.poll(() => mails.length).toBe(1)
    await assent.ask(anAsk({ origin: { server: 'second' } }))
    await assent.ask(anAsk({ origin: { server: 'third' }, priority: 'high' }))
    await assent.ask(anAsk({ origin: { server: 'fourth' }, priority: 'urgent' }))
    await expect.poll(() => mails.length).toBe(2)
    expect(mails[1]?.text).toContain('Subject: Assent: urgent: fourth needs an answer')
    expect(mails[1]?.text).toContain('X-Priority: 1 (Highest)')
    clock.advance(60_000)
    await expect.poll(() => mails.length).toBe(3)
    expect(mails[2]?.text).toContain('Subject: Assent: 2 questions wait for you')
    expect(mails[2]?.text).toContain('second needs an answer')
    expect(mails[2]?.text).toContain('high: third needs an answer')
  })

  test('logs in, and what the server refuses for now is sent again', async () => {
    const { at, mails, logins } = await aMailServer({ refusals: [451], needsLogin: true })
    const { assent, clock, failed } = await anAssentMailing({ smtp: `smtp://me:p%40ss@${at}`, allowPlain: true })
    await assent.ask(anAsk())
    await expect.poll(() => logins).toEqual(['me:p@ss'])
    await expect
      .poll(() => {
        clock.advance(2_000)
        return mails.length
      })
      .toBe(1)
    expect(failed).toEqual([])
  })

  test('a refusal for good is told at once, in words of ours', async () => {
    const { at, mails } = await aMailServer({ refusals: [554] })
    const { assent, failed } = await anAssentMailing({ smtp: `smtp://${at}` })
    await assent.ask(anAsk())
    await expect.poll(() => failed).toEqual(['mail: the mail server answered 554 (after 1 attempt)'])
    expect(mails).toEqual([])
  })

  test('a wrong password is told at once, and is in no message', async () => {
    const { at } = await aMailServer({ needsLogin: true })
    const { assent, failed } = await anAssentMailing({ smtp: `smtp://me:wrong@${at}` })
    await assent.ask(anAsk())
    await expect.poll(() => failed).toEqual(['mail: the mail server answered 535 (after 1 attempt)'])
  })

  test('a server that cannot be reached is tried again, then given up in words', async () => {
    const { assent, clock, failed } = await anAssentMailing({ smtp: 'smtp://127.0.0.1:9' })
    await assent.ask(anAsk())
    await expect
      .poll(() => {
        clock.advance(2_000)
        return failed
      })
      .toEqual([expect.stringMatching(/^mail: the mail server could not be reached \(\w+\) \(after 2 attempts\)$/)])
  })

  test('a server without TLS gets nothing unless it is on this machine or allowed', async () => {
    const { at, mails } = await aMailServer()
    const { assent, failed } = await anAssentMailing({ smtp: `smtp://${at}`, allowPlain: false })
    await assent.ask(anAsk())
    await expect.poll(() => failed).toHaveLength(1)
    expect(mails).toEqual([])
  })

  test.each(['mail.example.com', 'https://mail.example.com', ''])('%j is no mail server', (smtp) => {
    expect(() => mailChannel({ smtp, from: 'a@b', to: {} })).toThrow('such as smtps://user:password@')
  })
})

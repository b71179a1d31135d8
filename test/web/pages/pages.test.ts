import { expect, test } from 'vitest'
import { noticePage } from '../../../src/web/pages/notice-page.ts'
import type { Frame } from '../../../src/web/pages/props.ts'
import { apiKeyPage } from '../../../src/web/pages/question/api-key-page.ts'
import { confirmPage } from '../../../src/web/pages/question/confirm-page.ts'
import { connectPage } from '../../../src/web/pages/question/connect-page.ts'
import { formPage } from '../../../src/web/pages/question/form-page.ts'
import { settledPage } from '../../../src/web/pages/question/settled-page.ts'
import { asked, frame, gallery, longForm } from '../../support/web/gallery.ts'

/** What a person reads, without markup. */
const read = (page: string) =>
  page
    .replaceAll(/<(style|script|title)\b.*?<\/\1>/gs, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')

const empty = { type: 'object', properties: {} } as const

test.each([
  ['form', formPage(frame, { asked, schema: longForm, errors: [] })],
  ['api key', apiKeyPage(frame, { asked, schema: empty, labels: {}, errors: [] })],
  ['confirm', confirmPage(frame, { asked, labels: {} })],
  ['connect', connectPage(frame, { asked, action: '/', provider: { title: 'Notes' }, scopes: [], errors: [] })],
])(
  'the page %s names who asks, through whom, for whom, in whose words, until when, and what silence means',
  (_, page) => {
    const words = read(page)
    expect(words).toMatch(/github asked by Claude Code for you/)
    expect(words).toMatch(/github wrote.*Which repository/)
    expect(words).toMatch(/Time left: 9 minutes , until 09:10 UTC/)
    expect(words).toMatch(/Unanswered, nothing (is|runs)/)
  },
)

test('a question for somebody else says for whom', () => {
  expect(read(confirmPage(frame, { asked: { ...asked, requester: 'Bob' }, labels: {} }))).toContain(
    'Claude Code for Bob',
  )
})

test('what somebody else may see is the same, whether there is such a question or not', () => {
  expect(noticePage(frame, { kind: 'not-yours' })).toBe(noticePage(frame, { kind: 'not-found' }))
})

test('the same props make the same bytes', () => {
  const props = { asked, schema: longForm, errors: [] }
  expect(formPage(frame, props)).toBe(formPage(frame, props))
})

test('a page is a plain string', () => {
  for (const page of Object.values(gallery)) expect(typeof page).toBe('string')
})

test('attack: markup in every text that others write is shown, never obeyed', () => {
  const evil = '"\'><script>alert(1)</script>'
  const from = { server: evil, client: evil, requester: evil, message: evil, action: evil }
  const evilFrame: Frame = {
    ...frame,
    csrf: evil,
    look: { title: evil, primaryColor: evil },
    viewer: { name: evil, canSignOut: true },
  }
  const facts = { ...asked, ...from }
  const labels = { title: evil, warning: evil, confirmLabel: evil, cancelLabel: evil }
  const key = { fieldLabel: evil, placeholder: evil, description: evil }
  const errors = [{ field: evil, message: evil }]
  const schema = {
    type: 'object',
    properties: {
      [evil]: { type: 'string', title: evil, description: evil, default: evil },
      long: { type: 'string', default: `\n</textarea>${evil}` },
      one: { type: 'string', enum: [evil, 'b', 'c', 'd', 'e', 'f'] },
      some: { type: 'array', items: { anyOf: [{ const: evil, title: evil }] } },
    },
  } as const
  for (const page of [
    formPage(evilFrame, { asked: facts, schema, errors }),
    apiKeyPage(evilFrame, { asked: facts, schema, labels: key, errors }),
    confirmPage(evilFrame, { asked: facts, labels }),
    connectPage(evilFrame, {
      asked: facts,
      action: evil,
      provider: { title: evil, host: evil },
      scopes: [evil],
      key,
      errors,
    }),
    settledPage(evilFrame, { asked: facts, status: 'failed', purpose: 'input', before: false, reason: evil }),
    noticePage(evilFrame, { kind: 'broken', detail: evil, next: { href: '/', label: evil } }),
  ]) {
    expect(page).not.toContain('<script>alert')
    expect(page.match(/<script/g)).toHaveLength(1)
    expect(page).not.toContain('</textarea>&quot;')
  }
})

test('a secret has no value in the page, suggested or typed', () => {
  const schema = {
    type: 'object',
    properties: {
      token: { type: 'string', default: 'suggested-secret' },
      url: { type: 'string', format: 'uri', default: 'https://suggested.example' },
    },
  } as const
  const page = apiKeyPage(frame, {
    asked,
    schema,
    labels: {},
    errors: [{ field: 'token', message: 'Token is required.' }],
  })
  expect(page).not.toContain('suggested')
  expect(page.match(/<input type="password"[^>]*>/g)).toHaveLength(2)
  expect(page).not.toMatch(/<input type="password"[^>]* value=/)
})

test.each([
  ['complete', 'input', 'Your answer was sent'],
  ['complete', 'secret', 'stored encrypted'],
  ['declined', 'confirm', 'Nothing runs.'],
  ['cancelled', 'input', 'Nothing was sent.'],
  ['expired', 'connect', 'Nobody answered in time.'],
  ['failed', 'connect', 'Nothing was connected.'],
] as const)('a question that is %s (%s) says "%s", and where to go', (status, purpose, words) => {
  const page = read(settledPage(frame, { asked, status, purpose, before: false }))
  expect(page).toContain(words)
  expect(page).toContain('go back to Claude Code')
})

test('whoever comes after the answer is told that they changed nothing', () => {
  expect(read(settledPage(frame, { asked, status: 'complete', purpose: 'input', before: true }))).toContain(
    'It was settled before, so nothing changed now.',
  )
})

test('only someone we know sees ways to their own pages, and only who can sign out is offered it', () => {
  const { viewer: _, ...unknown } = frame
  expect(noticePage(unknown, { kind: 'broken' })).not.toContain('/connections')
  expect(noticePage(frame, { kind: 'broken' })).toContain('action="/logout"')
  const cannot = { ...frame, viewer: { name: 'Ada', canSignOut: false } }
  expect(noticePage(cannot, { kind: 'broken' })).not.toContain('/logout')
})

import type { FormSchema } from '../../../src/elicitation/form/schema.ts'
import { browsersPage } from '../../../src/web/pages/browsers-page.ts'
import { connectionsPage } from '../../../src/web/pages/connections-page.ts'
import { enrollPage } from '../../../src/web/pages/enroll-page.ts'
import { noticePage } from '../../../src/web/pages/notice-page.ts'
import { notificationsPage } from '../../../src/web/pages/notifications/notifications-page.ts'
import { phoneLinkPage, phonePage } from '../../../src/web/pages/phone/phone-pages.ts'
import type { AskedFacts, ConnectPageProps, NoticePageProps, SettledPageProps } from '../../../src/web/pages/props.ts'
import { apiKeyPage } from '../../../src/web/pages/question/api-key-page.ts'
import { confirmPage } from '../../../src/web/pages/question/confirm-page.ts'
import { connectPage } from '../../../src/web/pages/question/connect-page.ts'
import { formPage } from '../../../src/web/pages/question/form-page.ts'
import { settledPage } from '../../../src/web/pages/question/settled-page.ts'
import { tokensPage } from '../../../src/web/pages/tokens-page.ts'
import { approvalGallery } from './approval-gallery.ts'
import { asked, frame, nonce } from './gallery-frame.ts'
import { votingGallery } from './voting-gallery.ts'

export { asked, frame, nonce }

const { viewer: _, ...unknownFrame } = frame

const shortForm: FormSchema = {
  type: 'object',
  properties: {
    repository: { type: 'string', title: 'Repository', description: 'Owner and name.', default: 'ada/engine' },
    reviewer: { type: 'string', format: 'email', title: 'Reviewer' },
    branch: { type: 'string', title: 'Branch', enum: ['main', 'next', 'v1'], default: 'main' },
    draft: { type: 'boolean', title: 'Keep it a draft', description: 'You can publish it later.', default: true },
  },
  required: ['repository', 'branch'],
}

/** One of every kind of field. */
export const longForm: FormSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name of the event', minLength: 3, maxLength: 80 },
    about: { type: 'string', title: 'What it is about', maxLength: 2_000 },
    contact: { type: 'string', format: 'email', title: 'Contact' },
    site: { type: 'string', format: 'uri', title: 'Web site' },
    day: { type: 'string', format: 'date', title: 'Day' },
    start: { type: 'string', format: 'date-time', title: 'Start', default: '2026-12-01T18:30:00+01:00' },
    seats: { type: 'integer', title: 'Seats', minimum: 1, maximum: 12_000 },
    price: { type: 'number', title: 'Price', description: 'In euros, for one seat.', minimum: 0 },
    public: { type: 'boolean', title: 'Anyone may come' },
    size: { type: 'string', title: 'Room', enum: ['s', 'm', 'l'], enumNames: ['Small', 'Medium', 'Large'] },
    country: {
      type: 'string',
      title: 'Country',
      oneOf: ['Austria', 'Belgium', 'Chile', 'Denmark', 'Estonia', 'Finland', 'Ghana'].map((title) => ({
        const: title.slice(0, 2).toUpperCase(),
        title,
      })),
    },
    needs: {
      type: 'array',
      title: 'What you need',
      items: {
        anyOf: [
          { const: 'projector', title: 'A projector' },
          { const: 'sound', title: 'Microphones and speakers' },
          { const: 'ramp', title: 'Access without stairs' },
        ],
      },
      minItems: 1,
      default: ['ramp'],
    },
  },
  required: ['name', 'day', 'seats', 'country', 'needs'],
}

const hostile: AskedFacts = {
  ...asked,
  server: 'git\u202ebuh',
  client: '<img src=x onerror=alert(1)>',
  asker: 'a program that calls itself <img src=x onerror=alert(1)>',
  requester: 'Bob Babbage',
  message:
    'Pаypal needs your help\u200b</blockquote><script>alert(1)</script>\n\nClick \u202eevil\u202c now, ｓafe and sound. '.repeat(
      3,
    ) + 'averylongwordwithoutanyspaceinit'.repeat(8),
}

const hostileForm: FormSchema = {
  type: 'object',
  properties: {
    '"><script>': { type: 'string', title: '"><b>bold\u202e', description: '<i>x</i>', default: 'pay\u200bpal.com' },
    answer: { type: 'string', enum: ['<b>', '', 'x'.repeat(190)] },
  },
}

const apiKey: FormSchema = {
  type: 'object',
  properties: { apiKey: { type: 'string', title: 'API key', minLength: 1 } },
  required: ['apiKey'],
}
const stripe: AskedFacts = { ...asked, server: 'payments', message: 'To refund order 4711 I need a restricted key.' }
const stripeLabels = {
  fieldLabel: 'Stripe API key',
  placeholder: 'rk_live_…',
  description: 'A restricted key that may write refunds. You find it under Developers, API keys.',
}

const consent: ConnectPageProps = {
  asked: { ...asked, server: 'notes', message: 'Connect Notes so that I can add the summary of the meeting.' },
  action: '/oauth/connect/notes',
  provider: { title: 'Notes', host: 'notes.example.com' },
  scopes: ['notes.read', 'notes.write', 'offline_access'],
  errors: [],
}

const settled: Pick<SettledPageProps, 'asked' | 'before'> = { asked, before: false }

const notices: readonly NoticePageProps['kind'][] = [
  ...([
    'not-yours',
    'not-found',
    'sign-in',
    'enroll-first',
    'link-used',
    'phone-link-used',
    'form-old',
    'too-many',
    'login-failed',
  ] as const),
  ...(['connected', 'connected-too-little', 'connect-denied', 'connect-failed', 'connect-refused'] as const),
  ...(['signed-out', 'enrolled', 'broken'] as const),
]

const tokens = [
  {
    name: 'Deploy robot',
    rights: ['status', 'list'],
    createdAt: new Date('2026-11-14T12:00:00Z'),
    expiresAt: new Date('2027-02-12T12:00:00Z'),
    revokeAction: '/tokens/t1/revoke',
  },
  {
    name: 'Watch\u202e on my wrist that has a long name',
    rights: ['status', 'list', 'answer', 'answer-own'],
    createdAt: new Date('2026-11-15T12:00:00Z'),
    expiresAt: new Date('2027-02-13T12:00:00Z'),
    revokeAction: '/tokens/t2/revoke',
  },
] as const

/** Every page in every variant, by name. */
export const gallery: Readonly<Record<string, string>> = {
  form: formPage(frame, { asked, schema: shortForm, errors: [] }),
  'form-every-field': formPage(frame, { asked, schema: longForm, errors: [] }),
  'form-errors': formPage(frame, {
    asked,
    schema: longForm,
    typed: new Map([
      ['name', ['Go']],
      ['day', ['2026-12-24']],
      ['seats', ['many']],
      ['start', ['tomorrow']],
    ]),
    errors: [
      { field: 'name', message: 'Name of the event must have at least 3 characters.' },
      { field: 'start', message: 'Start must be a date and time with its offset, such as 2026-07-28T09:30:00Z.' },
      { field: 'seats', message: 'Seats must be a whole number.' },
      { field: 'country', message: 'Country is required.' },
      { field: 'needs', message: 'What you need must have at least 1 choice.' },
      { field: '', message: 'The answer is larger than this form takes.' },
    ],
  }),
  'form-empty': formPage(frame, { asked, schema: { type: 'object', properties: {} }, errors: [] }),
  'form-hostile': formPage(frame, { asked: hostile, schema: hostileForm, errors: [] }),
  'form-german-green': formPage(
    { ...frame, locale: 'de-DE', look: { primaryColor: '#1f9d55', title: 'Freigaben der Werft' } },
    { asked: { ...asked, expiresAt: new Date('2026-11-18T12:00:00Z') }, schema: longForm, errors: [] },
  ),
  'form-yellow': formPage(
    { ...frame, look: { primaryColor: '#ffe600', title: 'Assent' } },
    { asked, schema: shortForm, errors: [] },
  ),
  'api-key': apiKeyPage(frame, { asked: stripe, schema: apiKey, labels: stripeLabels, errors: [] }),
  'api-key-errors': apiKeyPage(frame, {
    asked: stripe,
    schema: apiKey,
    labels: {},
    errors: [{ field: 'apiKey', message: 'API key is required.' }],
  }),
  confirm: confirmPage(frame, { asked: { ...asked, message: 'Publish release 2.0 to everyone.' }, labels: {} }),
  'confirm-warning': confirmPage(frame, {
    asked: { ...asked, requester: 'Bob Babbage', message: 'The repository ada/engine and its 214 issues are deleted.' },
    labels: {
      title: 'Delete the repository ada/engine?',
      warning: 'This cannot be undone.',
      confirmLabel: 'Delete it',
      cancelLabel: 'Keep it',
    },
  }),
  'confirm-link': confirmPage(frame, {
    asked: { ...asked, message: 'Sign in at the registry first.\nhttps://registry.example.com/login?for=ada' },
    labels: {
      title: 'Go to registry.example.com?',
      link: 'https://registry.example.com/login?for=ada',
      confirmLabel: 'I opened it',
      cancelLabel: 'No',
    },
  }),
  connect: connectPage(frame, consent),
  'connect-alone': connectPage(frame, { ...omitAsked(consent), scopes: [] }),
  'connect-key': connectPage(frame, {
    ...consent,
    scopes: [],
    key: stripeLabels,
    provider: { title: 'Stripe', host: 'api.stripe.com' },
    errors: [{ field: 'apiKey', message: 'Stripe API key is required.' }],
  }),
  'settled-input': settledPage(frame, { ...settled, status: 'complete', purpose: 'input' }),
  'settled-approval': settledPage(frame, { ...settled, status: 'complete', purpose: 'approval' }),
  'settled-secret': settledPage(frame, { ...settled, status: 'complete', purpose: 'secret' }),
  'settled-confirm': settledPage(frame, { ...settled, status: 'complete', purpose: 'confirm' }),
  'settled-connect': settledPage(frame, { ...settled, status: 'complete', purpose: 'connect' }),
  'settled-declined': settledPage(frame, { ...settled, status: 'declined', purpose: 'input' }),
  'settled-before': settledPage(frame, { ...settled, status: 'complete', purpose: 'confirm', before: true }),
  'settled-cancelled': settledPage(frame, { ...settled, status: 'cancelled', purpose: 'secret' }),
  'settled-expired': settledPage(frame, { before: true, status: 'expired', purpose: 'confirm' }),
  'settled-failed': settledPage(frame, {
    ...settled,
    status: 'failed',
    purpose: 'connect',
    reason: 'notes.example.com did not answer.',
  }),
  ...Object.fromEntries(notices.map((kind) => [`notice-${kind}`, noticePage(unknownFrame, { kind })])),
  'notice-next': noticePage(frame, {
    kind: 'connected-too-little',
    detail: 'Not granted: notes.write.',
    next: { href: '/connections', label: 'See your connections' },
  }),
  enroll: enrollPage(unknownFrame, { action: '/enroll', browserName: 'Firefox on Linux' }),
  connections: connectionsPage(frame, {
    connections: [
      {
        provider: 'notes',
        title: 'Notes',
        account: 'ada@example.com',
        scopes: ['notes.read', 'notes.write'],
        standing: 'good',
        connectedAt: new Date('2026-11-03T12:00:00Z'),
        disconnectAction: '/connections/notes/disconnect',
      },
      {
        provider: 'stripe',
        title: 'Stripe',
        scopes: [],
        standing: 'refused',
        connectedAt: new Date('2026-02-14T12:00:00Z'),
        disconnectAction: '/connections/stripe/disconnect',
      },
      {
        provider: 'issues',
        title: 'Issues',
        account: 'ada',
        scopes: ['issues:read'],
        standing: 'good',
        connectedAt: new Date('2026-11-14T12:00:00Z'),
        issuedBy: {
          issuer: 'https://login.issues.example.com/realms/people-of-the-shipyard',
          resource: 'https://mcp.issues.example.com/v1/mcp',
          clientId: 'assent',
        },
        disconnectAction: '/connections/issues/disconnect',
      },
    ],
    others: [{ title: 'Calendar', href: '/oauth/connect/calendar' }],
  }),
  'connections-empty': connectionsPage(frame, { connections: [], others: [] }),
  browsers: browsersPage(
    { ...frame, viewer: { name: 'you, on this machine', canSignOut: false } },
    {
      mayLetPhoneIn: true,
      browsers: [
        {
          id: 'b1',
          name: 'Firefox on Linux',
          by: 'link',
          createdAt: new Date('2026-11-01T12:00:00Z'),
          expiresAt: new Date('2027-11-01T12:00:00Z'),
          isThisOne: true,
          removeAction: '/browsers/b1/remove',
        },
        {
          id: 'b2',
          name: 'Safari on iPhone',
          by: 'login',
          createdAt: new Date('2026-10-12T12:00:00Z'),
          expiresAt: new Date('2027-10-12T12:00:00Z'),
          isThisOne: false,
          removeAction: '/browsers/b2/remove',
        },
      ],
    },
  ),
  tokens: tokensPage(frame, { tokens }),
  'tokens-made': tokensPage(frame, {
    tokens,
    made: { token: `assent_${'Zk3x9aP0qLm2'.repeat(4)}`, name: 'Deploy robot' },
  }),
  'tokens-problem': tokensPage(frame, { tokens: [], problem: 'Choose what it may do.' }),
  push: notificationsPage(frame, {
    subscriptions: [
      {
        name: 'Chrome on Android',
        createdAt: new Date('2026-11-01T12:00:00Z'),
        expiresAt: new Date('2027-01-30T12:00:00Z'),
        testAction: '/push/p1/test',
        removeAction: '/push/p1/remove',
      },
    ],
    publicKey: 'B'.repeat(87),
    done: 'This browser tells you from now on.',
  }),
  'push-off': notificationsPage(frame, { subscriptions: [], problem: 'Nothing is sent to browsers here.' }),
  'phone-link': phoneLinkPage(frame, {
    link: `https://assent.example.com/browsers/add?code=k1~${'Zk3x9aP0qLm2'.repeat(20)}`,
    minutes: 5,
  }),
  phone: phonePage(unknownFrame, {
    action: '/browsers/add?code=k1~abc',
    browserName: 'Safari on iPhone',
    person: 'ada\u202eexample.com',
    until: new Date('2026-11-16T09:40:00Z'),
  }),
  'browsers-empty': browsersPage(frame, { mayLetPhoneIn: false, browsers: [] }),
  ...approvalGallery,
  ...votingGallery,
}

function omitAsked({ asked: _, ...rest }: ConnectPageProps): ConnectPageProps {
  return rest
}

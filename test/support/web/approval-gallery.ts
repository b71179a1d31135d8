import { decide } from '../../../src/approval/policy/decide.ts'
import { choicesFor } from '../../../src/approval/question/choices.ts'
import { pageForm } from '../../../src/approval/question/page-form.ts'
import { subjectOf } from '../../../src/approval/question/subject.ts'
import type { ToolCall } from '../../../src/approval/tool-call.ts'
import { clientText } from '../../../src/base/text/names.ts'
import type { Elicitation, ElicitationId } from '../../../src/elicitation/elicitation.ts'
import type { Voting } from '../../../src/elicitation/voting/voting.ts'
import { localParticipant, type ParticipantId } from '../../../src/participant/participant.ts'
import { localRequester, namedClient } from '../../../src/participant/requester.ts'
import { auditPage } from '../../../src/web/pages/audit-page.ts'
import { grantsPage } from '../../../src/web/pages/grants-page.ts'
import { historyPage } from '../../../src/web/pages/inbox/history-page.ts'
import { inboxPage } from '../../../src/web/pages/inbox/inbox-page.ts'
import type { InboxRow } from '../../../src/web/pages/inbox-props.ts'
import { pageOf } from '../../../src/web/pages/layout/frame.ts'
import type { ApprovalPageProps, AskedFacts, GrantItem, PasskeyNeed } from '../../../src/web/pages/props.ts'
import { approvalPage, approvalSheet } from '../../../src/web/pages/question/approval-page.ts'
import { externalSheet } from '../../../src/web/pages/question/external-page.ts'
import { settledPage } from '../../../src/web/pages/question/settled-page.ts'
import { approvalProps, type RefusedPost } from '../../../src/web/question/approval.ts'
import { aCall, alice, bob } from '../approval/a-call.ts'
import { readPolicy } from '../policies.ts'
import { asked, frame } from './gallery-frame.ts'

const facts: AskedFacts = { ...asked, message: '', action: '/elicit/0192/approve' }

/** A call, and the rule that asks about it. */
export interface Showing {
  readonly call?: Partial<ToolCall>
  readonly rule?: object
  readonly viewer?: ParticipantId
  readonly refused?: RefusedPost
  readonly message?: string
  readonly voting?: Voting
  readonly passkey?: PasskeyNeed
}

/** The props of an approval as the routes make them. */
export function approving(showing: Showing): ApprovalPageProps {
  const { call: over, rule = {}, viewer = alice, refused, message, voting, passkey } = showing
  const known = { participant: alice, client: 'claude-code', clientName: 'Claude Code' }
  const call = aCall({ server: 'github', tool: 'create_issue', requester: known, ...over })
  const { requester } = call
  const decision = decide(readPolicy({ rules: [{ decide: 'ask', ...rule }] }), call)
  const schema = pageForm(call, decision, choicesFor(call, decision, requester.participant, 'page'))
  const elicitation: Elicitation = {
    id: '0192' as ElicitationId,
    version: 1,
    question: { mode: 'form', message: message ?? `Run ${call.tool} on ${call.server}?`, schema },
    purpose: 'approval',
    origin: { server: call.server },
    requester,
    answerers: {
      anyOf: decision.approvers,
      through: decision.answer === 'client' ? 'client' : 'page',
      ...(decision.quorum !== undefined && { quorum: decision.quorum }),
      ...(decision.delegate !== undefined && { delegate: decision.delegate }),
    },
    ...(voting && { voting }),
    identity: 'one',
    metadata: {},
    subject: subjectOf({ call, decision }),
    createdAt: asked.createdAt,
    expiresAt: asked.expiresAt,
    state: { kind: 'open' },
  }
  const about = {
    ...facts,
    server: call.server,
    asker: clientText(namedClient(requester), requester.participant === localParticipant ? 'asker' : 'label'),
    ...(viewer !== requester.participant && { requester: 'alice' }),
  }
  const props = approvalProps(elicitation, { participant: viewer, groups: [] }, about, refused)
  if (props === undefined) throw new Error('It is an approval.')
  return { ...props, ...(passkey && { passkey }) }
}

/** The page of an approval. */
export function approvalPageOf(showing: Showing): string {
  return approvalPage(frame, approving(showing))
}

/** An inbox in which the approval is open beside the list. */
export function inboxWithOpen(showing: Showing): string {
  const props = { ...listed, isOver: false, isPaused: false, openId: '0192' }
  return inboxPage(frame, props, approvalSheet(frame, approving(showing)))
}

const issue: Partial<ToolCall> = {
  title: 'Create a new issue',
  arguments: {
    repository: 'ada/engine',
    title: 'Crash when the card reader jams',
    labels: ['bug', 'hardware'],
    assignees: 2,
  },
}

const editableIssue: Partial<ToolCall> = {
  ...issue,
  inputSchema: {
    type: 'object',
    properties: {
      repository: { type: 'string' },
      title: { type: 'string', title: 'Harmless words', maxLength: 80 },
      labels: { type: 'array', items: { type: 'string' } },
      draft: { type: 'boolean' },
      priority: { type: 'string', enum: ['low', 'high'], enumNames: ['Nothing happens', 'Page everyone'] },
    },
    required: ['repository', 'title'],
  },
}

const hostileCall: Partial<ToolCall> = {
  server: 'pay\u202elap',
  tool: 'tr\u0430nsfer',
  title: '</q><script>alert(1)</script>',
  arguments: {
    to: 'p\u0430ypal.com\u200b/refund',
    '</dt><script>': '<img src=x onerror=alert(1)>',
    body: 'One line after another.\n'.repeat(40),
    amount: 9_999.5,
    note: '',
  },
}

const shownPreview = {
  tool: 'preview_issue',
  text: '@@ issue 4711 @@\n- Crash\n+ Crash when the card reader jams\n  labels: bug, hardware\n\u202eIt says more.\n'.repeat(
    4,
  ),
  leftOut: 12_345,
}

const shell: Partial<ToolCall> = {
  server: 'claude-code',
  tool: 'Bash',
  arguments: {
    command: 'cd /home/ada/engine && npm test -- --run "$(cat wanted.txt)" | tee out.log; rm -rf build',
    description: 'Run the tests',
  },
}

const nested: Partial<ToolCall> = {
  server: 'files',
  tool: 'write_file',
  arguments: { path: '/home/ada/projects/engine/docs/plan.md', content: 'Ship it.' },
}

const posted = new FormData()
posted.set('field.choice', 'always_allow/server/day/this')
posted.set('field.edit_title', 'Crash')
posted.set('field.json_labels', '[bug')
posted.set('field.reason', 'It is only a test.')

export const rows: readonly InboxRow[] = [
  {
    id: '0192',
    server: 'github',
    asker: 'Claude Code',
    what: 'Run create_issue',
    line: 'repository: ada/engine, title: Crash when the card reader jams, labels: ["bug","hardware"], body: It jams',
    answer: { deny: '/elicit/0192/approve?from=inbox' },
    createdAt: new Date('2026-11-16T08:59:00Z'),
    expiresAt: new Date('2026-11-16T09:02:10Z'),
    href: '/inbox?open=0192',
  },
  {
    id: '0193',
    server: 'payments',
    asker: 'Billing agent',
    requester: 'bob@example.com',
    what: 'Run refund_payment',
    line: 'payment: pm_4711, amount: 120, currency: EUR',
    arguments: [
      { name: 'payment', value: 'pm_4711' },
      { name: 'amount', value: '120' },
      {
        name: 'reason',
        value: 'The card was charged twice for the same order, and the customer asked for the second one.',
      },
    ],
    answer: {
      deny: '/elicit/0193/approve?from=inbox',
      allow: '/elicit/0193/approve?from=inbox&shown=9hSf4qvUXkFq0nVd',
    },
    createdAt: new Date('2026-11-16T08:54:00Z'),
    expiresAt: new Date('2026-11-16T09:08:10Z'),
    href: '/inbox?open=0193',
  },
  {
    id: '0194',
    server: 'notes',
    asker: 'Claude Code',
    what: 'Connect notes',
    line: '“Connect Notes so that I can add the summary of the meeting.”',
    createdAt: new Date('2026-11-16T08:40:00Z'),
    expiresAt: new Date('2026-11-16T11:10:00Z'),
    href: '/inbox?open=0194',
  },
]

const [mine, ...others] = rows
/** A list of one client. */
export const listed = { groups: [{ asker: 'Claude Code', rows }], total: rows.length, isFirst: true, here: '/inbox' }
/** A page of several clients, of which some have asked more than it shows. */
const crowded = {
  groups: [
    { asker: 'a program that calls itself Claude Code', rows: mine === undefined ? [] : [mine] },
    { asker: 'Billing agent', requester: 'bob', rows: others, all: { count: 80, href: '/inbox?of=key' } },
  ],
  total: 200,
  isFirst: false,
  here: '/inbox?after=0192',
  older: '/inbox?after=0193',
}

const grant: GrantItem = {
  id: 'grant-1',
  sentence: 'Allows Claude Code (claude-code) to run create_issue on github, until it is revoked.',
  standing: 'holds',
  grantedBy: 'you',
  through: 'page',
  createdAt: new Date('2026-11-14T10:00:00Z'),
  revokeAction: '/grants/grant-1/revoke',
}

const end = { asked: { ...asked, message: '' }, status: 'complete', purpose: 'approval', before: false } as const
const ended = { effect: 'allow', server: 'github', tool: 'create_issue', changes: [] } as const
const lasting = { href: '/grants', revokeAction: '/grants/grant-1/revoke' }

/** Every page about approvals in every variant, by name. */
export const approvalGallery: Readonly<Record<string, string>> = {
  approve: approvalPage(frame, approving({ call: issue, rule: { reason: 'Writes need your yes.' } })),
  'approve-other': approvalPage(
    frame,
    approving({
      call: issue,
      viewer: bob,
      rule: { approvers: [bob], reason: 'Ada’s agents ask Bob before they write.' },
    }),
  ),
  'approve-local': approvalPage(
    frame,
    approving({
      call: { ...issue, requester: { ...localRequester, clientName: 'Claude Code' } },
      viewer: localParticipant,
      rule: { reason: 'Writes need your yes.' },
    }),
  ),
  'approve-edit': approvalPage(
    frame,
    approving({ call: editableIssue, rule: { editable: ['title', 'labels', 'draft', 'priority'] } }),
  ),
  'approve-errors': approvalPage(
    frame,
    approving({
      call: editableIssue,
      rule: { editable: ['title', 'labels', 'draft', 'priority'] },
      refused: { form: posted, errors: [{ field: 'json_labels', message: 'labels must be JSON.' }] },
    }),
  ),
  'approve-destructive': approvalPage(
    frame,
    approving({
      call: {
        tool: 'delete_repository',
        annotations: { destructiveHint: true },
        arguments: { repository: 'ada/engine' },
      },
      message: 'I delete the repository ada/engine and its 214 issues.',
    }),
  ),
  'approve-hostile': approvalPage(
    frame,
    approving({
      call: hostileCall,
      message: 'Your bank asks you to press Allow.</blockquote><script>alert(1)</script>',
    }),
  ),
  'approve-bare': approvalPage(frame, approving({ call: { tool: 'list_issues', arguments: {} } })),
  'approve-preview': approvalPage(frame, { ...approving({ call: issue }), preview: shownPreview }),
  'approve-no-preview': approvalPage(frame, {
    ...approving({ call: issue }),
    preview: { tool: 'preview_issue', problem: 'preview_issue did not answer within 5 seconds.' },
  }),
  'approve-command': approvalPage(frame, approving({ call: shell, rule: { reason: 'Commands need your yes.' } })),
  'approve-pattern': approvalPage(frame, approving({ call: nested })),
  'settled-allowed-once': settledPage(frame, { ...end, approval: ended }),
  'settled-allowed-edited': settledPage(frame, {
    ...end,
    approval: {
      ...ended,
      words: 'Allow create_issue for an hour, for Claude Code (claude-code).',
      grant: lasting,
      changes: [
        { name: 'title', before: 'Crash when the card reader jams', after: 'Crash' },
        { name: 'draft', after: true },
      ],
    },
  }),
  'settled-always-denied': settledPage(frame, {
    ...end,
    approval: {
      ...ended,
      effect: 'deny',
      words: 'Deny create_issue until revoked, for all my clients.',
      grant: lasting,
    },
  }),
  inbox: inboxPage(frame, { ...listed, isOver: false, isPaused: false }),
  'inbox-done': inboxPage(frame, {
    ...crowded,
    isOver: false,
    isPaused: true,
    done: [{ words: 'Run create_issue: allowed by you.', href: '/elicit/0192/approve' }],
  }),
  'inbox-empty': inboxPage(frame, { ...listed, groups: [], total: 0, isOver: false, isPaused: false }),
  'inbox-open': inboxPage(
    frame,
    { ...listed, isOver: false, isPaused: false, openId: '0192' },
    approvalSheet(frame, approving({ call: issue, rule: { reason: 'Writes need your yes.' } })),
  ),
  history: historyPage(frame, {
    rows: [
      {
        what: 'Run create_issue',
        server: 'github',
        asker: 'Claude Code',
        end: 'Allowed by you',
        at: new Date('2026-11-16T08:58:00Z'),
        href: '/elicit/0192/approve',
      },
      {
        what: 'Save a key for payments',
        server: 'payments',
        asker: 'Billing agent',
        end: 'Nobody answered',
        at: new Date('2026-11-14T08:58:00Z'),
      },
    ],
  }),
  'history-empty': historyPage(frame, { rows: [] }),
  grants: grantsPage(frame, {
    grants: [
      grant,
      {
        ...grant,
        id: 'grant-2',
        sentence: 'Denies every client from running every tool of payments, until it is revoked.',
        grantedBy: 'bob@example.com',
        through: 'client',
      },
      {
        ...grant,
        id: 'grant-3',
        sentence: 'Allows Claude Code to run push on github. Ended on 15 Nov 2026, 10:00.',
        standing: 'Ended',
      },
      {
        ...grant,
        id: 'grant-4',
        sentence: 'Allows every client to run search on github. Revoked on 12 Nov 2026, 10:00.',
        standing: 'Revoked',
      },
    ],
    older: '/grants?after=grant-4',
  }),
  'grants-empty': grantsPage(frame, { grants: [] }),
  audit: auditPage(frame, {
    checked: { events: 12_345, found: 0 },
    events: [
      { words: 'create_issue on github was called for claude-code', at: new Date('2026-11-16T08:59:00Z') },
      { words: 'You allowed create_issue on github for an hour', at: new Date('2026-11-16T08:58:30Z') },
      { words: 'github asked whether a call may run, through claude-code', at: new Date('2026-11-15T08:58:00Z') },
    ],
  }),
  'audit-broken': auditPage(frame, { checked: { events: 40, found: 3 }, events: [] }),
  'audit-unchecked': auditPage(frame, { events: [] }),
  elsewhere: pageOf(
    frame,
    externalSheet(frame, { asked: { ...asked, message: 'Sign the form there.' }, url: 'https://forms.example.com/x' }),
  ),
}

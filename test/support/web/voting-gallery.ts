import type { Voting } from '../../../src/elicitation/voting/voting.ts'
import type { ParticipantId } from '../../../src/participant/participant.ts'
import { inboxPage } from '../../../src/web/pages/inbox/inbox-page.ts'
import { severalPage } from '../../../src/web/pages/inbox/several-page.ts'
import { passkeysPage } from '../../../src/web/pages/passkey/passkeys-page.ts'
import type { PasskeyNeed, PasskeysPageProps } from '../../../src/web/pages/props.ts'
import { approvalPage } from '../../../src/web/pages/question/approval-page.ts'
import { alice, bob } from '../approval/a-call.ts'
import { approving, listed, rows, type Showing } from './approval-gallery.ts'
import { frame } from './gallery-frame.ts'

const carol = 'carol@https://login.example.com' as ParticipantId
const at = new Date('2026-11-16T09:00:10Z')

const transfer: Showing['call'] = {
  server: 'bank',
  tool: 'transfer',
  arguments: { amount: 12_500, currency: 'EUR', to: 'DE89 3704 0044 0532 0130 00', reference: 'Invoice 4711' },
}

const rule = {
  approvers: [bob, carol, 'group:finance'],
  quorum: 2,
  delegate: ['group:finance', 'group:leads'],
  priority: 'high',
  reason: 'Two people of finance allow a transfer.',
}

const yes = (by: ParticipantId, reason?: string) =>
  ({ by, choice: 'allow_once', at, via: 'page', digest: 'v1', ...(reason !== undefined && { reason }) }) as const

const none: Voting = { votes: [], outdated: [], delegations: [], escalations: [] }

/** One yes, one part handed on twice, and others asked too. */
const busy: Voting = {
  ...none,
  votes: [yes(carol, 'The invoice is in order.')],
  delegations: [
    {
      from: 'dave@https://login.example.com' as ParticipantId,
      to: 'erin@https://login.example.com' as ParticipantId,
      at,
      via: 'page',
    },
    { from: 'erin@https://login.example.com' as ParticipantId, to: 'group:leads', at, via: 'page', part: 0 },
  ],
  escalations: [{ to: ['group:leads', alice], at }],
}

const edited: Voting = {
  ...none,
  votes: [yes(carol)],
  outdated: [yes(bob)],
  edit: { by: carol, at, digest: 'v2', content: { edit_amount: 1_250 } },
}

const need: PasskeyNeed = {
  signAction: '/elicit/0192/approve/sign',
  canSign: true,
  makeHref: '/passkeys?next=%2Felicit%2F0192%2Fapprove',
}

const asBob = (more: Omit<Showing, 'call' | 'viewer'> = {}) => approving({ call: transfer, viewer: bob, rule, ...more })

const passkeys: PasskeysPageProps = {
  passkeys: [
    {
      id: 'p1',
      name: 'Work laptop',
      kind: 'device',
      createdAt: new Date('2026-10-01T08:00:00Z'),
      usedAt: at,
      ...actionsOf('p1'),
    },
    {
      id: 'p2',
      name: 'Security key in the safe',
      kind: 'synced',
      createdAt: new Date('2026-10-02T08:00:00Z'),
      ...actionsOf('p2'),
    },
  ],
  addAction: '/passkeys',
  addOptions: '/passkeys/options',
  suggestedName: 'Firefox on Linux',
}

function actionsOf(id: string) {
  return {
    renameAction: `/passkeys/${id}/rename`,
    signAction: `/passkeys/${id}/sign`,
    revokeAction: `/passkeys/${id}/revoke`,
  }
}

const selecting = { ...listed, isOver: false, isPaused: false, selectHref: '/inbox?select=1' }

/** Pages of questions that several people decide, of several questions together, and of passkeys. */
export const votingGallery: Readonly<Record<string, string>> = {
  'votes-open': approvalPage(frame, asBob()),
  'votes-chain': approvalPage(frame, asBob({ voting: busy })),
  'votes-edited': approvalPage(frame, asBob({ rule: { ...rule, editable: ['amount'] }, voting: edited })),
  'votes-mine': approvalPage(frame, asBob({ voting: { ...none, votes: [yes(bob)] } })),
  'votes-handed-on': approvalPage(
    frame,
    asBob({ voting: { ...none, delegations: [{ from: bob, to: 'group:leads', at, via: 'page' }] } }),
  ),
  'votes-signed': approvalPage(frame, asBob({ voting: busy, passkey: need })),
  'inbox-votes': inboxPage(frame, {
    ...selecting,
    groups: [
      {
        asker: 'Billing agent',
        rows: rows.map((row, index) => ({
          ...row,
          ...(index < 2 && { priority: index === 0 ? ('urgent' as const) : ('low' as const) }),
          ...(index < 2 && { standing: ['1 of 2 people said yes.'] }),
        })),
      },
    ],
  }),
  'inbox-selecting': inboxPage(frame, { ...selecting, isSelecting: true }),
  'inbox-done-several': inboxPage(frame, {
    ...selecting,
    done: [
      { words: 'Run transfer: allowed by you.', href: '/elicit/0192/approve' },
      {
        words: 'Run refund: left out, because it changed after it was shown to you. Look at it again.',
        href: '/inbox?open=0193',
      },
    ],
  }),
  several: severalPage(frame, {
    action: '/inbox/several',
    missing: ['Run create_issue: it was settled meanwhile.'],
    items: [
      { id: '0192', approval: asBob({ voting: busy }), href: '/inbox?open=0192' },
      {
        id: '0193',
        approval: approving({
          call: {
            tool: 'delete_repository',
            annotations: { destructiveHint: true },
            arguments: { repository: 'ada/engine' },
          },
          message: 'I delete the repository ada/engine and its 214 issues.',
        }),
        href: '/inbox?open=0193',
      },
      {
        id: '0194',
        approval: approving({ call: { tool: 'list_issues', arguments: {} } }),
        leftOut: 'A yes to this one must be signed with a passkey, so Allow leaves it out.',
        href: '/inbox?open=0194',
      },
    ],
  }),
  'several-none': severalPage(frame, {
    action: '/inbox/several',
    items: [],
    missing: ['Run transfer: You said yes. Now others must.'],
  }),
  passkeys: passkeysPage(frame, passkeys),
  'passkeys-empty': passkeysPage(frame, { ...passkeys, passkeys: [], next: '/elicit/0192/approve' }),
  'passkeys-refused': passkeysPage(frame, {
    ...passkeys,
    refused: 'The passkey was not accepted: it was used on another site.',
    done: 'renamed',
  }),
  'passkeys-impossible': passkeysPage(frame, {
    ...passkeys,
    passkeys: [],
    problem: 'Browsers make passkeys for host names only, and publicUrl is http://127.0.0.1:4180.',
  }),
}

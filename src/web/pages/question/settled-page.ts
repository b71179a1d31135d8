import type { Change } from '../../../approval/question/edit.ts'
import { csrfField, heading, pageOf, type Sheet } from '../layout/frame.ts'
import { type Markup, markup } from '../layout/markup.ts'
import type { ApprovalEnd, Frame, SettledPageProps } from '../props.ts'
import { changeList } from './arguments.ts'
import { quotation, visible } from './quote.ts'

/** Says how a question ended, and what happens next. */
export function settledPage(frame: Frame, props: SettledPageProps): string {
  return pageOf(frame, settledSheet(frame, props))
}

export function settledSheet(frame: Frame, props: SettledPageProps): Sheet {
  const { asked, before } = props
  const { icon, tone, title, words } = endOf(props)
  return {
    title,
    body: markup`${heading(icon, title, words, tone)}
${reason(props)}
${before && markup`<p class="soft">It was settled before, so nothing changed now.</p>`}
${props.approval && changes(frame, props.approval.changes)}
<p>${next(props)}</p>
${props.approval && undo(frame, props.approval)}
${asked !== undefined && quotation(asked.server, asked.message, 'none', { characters: 600, lines: 8 })}
${props.purpose === 'connect' && props.status === 'complete' && frame.viewer !== undefined && markup`<p><a class="button" href="/connections">See your connections</a></p>`}
${props.isFromInbox && markup`<p><a class="button" href="/inbox">Back to the inbox</a></p>`}`,
  }
}

interface End {
  readonly icon: 'done' | 'no' | 'clock' | 'lost'
  readonly tone: 'good' | 'bad' | ''
  readonly title: string
  readonly words: Markup | string
}

function endOf(props: SettledPageProps): End {
  const { status, purpose, asked, approval } = props
  if (status === 'complete' && approval !== undefined) return approvalEnd(approval)
  const server = asked === undefined ? 'The server' : visible(asked.server)
  const { done, means, nothing } = purposes[purpose]
  switch (status) {
    case 'complete':
      return { icon: 'done', tone: 'good', title: done, words: markup`${server} ${means}` }
    case 'declined':
      return {
        icon: 'no',
        tone: '',
        title: 'You said no',
        words: markup`${server} was told that you declined. ${nothing}`,
      }
    case 'cancelled':
      return { icon: 'no', tone: '', title: 'This question was cancelled', words: nothing }
    case 'expired':
      return { icon: 'clock', tone: '', title: 'Time is up', words: `Nobody answered in time. ${nothing}` }
    case 'failed':
      return { icon: 'lost', tone: 'bad', title: 'That did not work', words: nothing }
  }
}

function approvalEnd({ effect, words, tool, server }: ApprovalEnd): End {
  const call = markup`${visible(tool)} on ${visible(server)}`
  if (effect === 'deny') {
    const means = words === undefined ? markup`${call} does not run.` : visible(words, 2_000)
    return { icon: 'no', tone: '', title: 'Denied', words: means }
  }
  if (words === undefined) {
    return { icon: 'done', tone: 'good', title: 'Allowed once', words: markup`${call} may run, this one time.` }
  }
  return { icon: 'done', tone: 'good', title: 'Allowed', words: visible(words, 2_000) }
}

function changes(frame: Frame, changed: readonly Change[]): Markup {
  if (changed.length === 0) return markup``
  return markup`<section class="close"><h2>Changed before it runs</h2>${changeList(frame, changed)}</section>`
}

/** Links to the grant that was made, and revokes it. */
function undo(frame: Frame, { grant }: ApprovalEnd): Markup {
  if (grant === undefined) return markup``
  return markup`<div class="answers"><a class="button" href="${grant.href}">See your permissions</a><form method="post" action="${grant.revokeAction}">${csrfField(frame)}<button>Take this back</button></form></div>`
}

const purposes: Readonly<Record<SettledPageProps['purpose'], { done: string; means: string; nothing: string }>> = {
  input: { done: 'Your answer was sent', means: 'has it and continues.', nothing: 'Nothing was sent.' },
  approval: { done: 'Allowed', means: 'may run this call.', nothing: 'Nothing runs.' },
  secret: { done: 'Key saved', means: 'can use it now. It is stored encrypted.', nothing: 'Nothing was saved.' },
  confirm: { done: 'You said yes', means: 'continues.', nothing: 'Nothing runs.' },
  connect: { done: 'Account connected', means: 'can use it now.', nothing: 'Nothing was connected.' },
}

function reason({ reason }: SettledPageProps): Markup {
  return reason?.trim() ? markup`<p>${visible(reason, 600)}</p>` : markup``
}

function next({ asked, status }: SettledPageProps): Markup {
  const client = asked === undefined ? 'where you came from' : visible(asked.client)
  const goBack = markup`You can close this page and go back to ${client}.`
  return status === 'complete' || status === 'declined'
    ? goBack
    : markup`${goBack} To be asked again, let it try again.`
}

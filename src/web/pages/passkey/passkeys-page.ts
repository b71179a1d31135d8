import { csrfField, documentOf, heading } from '../layout/frame.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { day } from '../layout/times.ts'
import type { Frame, PasskeyItem, PasskeysPageProps } from '../props.ts'
import { problemOf } from '../question/fields.ts'
import { visible, visiblePlain } from '../question/quote.ts'
import { needsScript, passkeyProblem } from './passkey-parts.ts'
import { passkeyScript } from './passkey-script.ts'

/** Lists a person's passkeys, each with its name to change and a button to revoke it, and lets them add one. */
export function passkeysPage(frame: Frame, props: PasskeysPageProps): string {
  const { passkeys, problem, refused, next } = props
  const lead =
    passkeys.length === 0
      ? 'You have no passkey. Calls that must be signed with one cannot be allowed by you.'
      : 'With these you sign what you allow, where a rule asks for it. Revoke any that you do not know or no longer have.'
  return documentOf(
    frame,
    'Your passkeys',
    markup`${refused !== undefined && markup`<div class="errors" role="alert" tabindex="-1" autofocus>${icons.lost}<div><h2>Nothing was changed</h2><p>${visible(refused, 400)}</p></div></div>`}
${heading('key', 'Your passkeys', lead)}
${done(props)}
${next !== undefined && passkeys.length > 0 && markup`<p><a class="button" href="${next}">Go back to the question</a></p>`}
${passkeys.length > 0 && markup`<ul class="rows">${passkeys.map((passkey) => row(frame, passkey))}</ul>`}
${problem === undefined ? adding(frame, props) : markup`<div class="warning">${icons.warning}<p>${visible(problem, 400)}</p></div>`}
${passkeys.length > 0 && markup`<p class="soft small">You add and revoke passkeys with one that you have. If you lost all of them, the person who runs this installation can revoke them with <code>assent passkeys revoke</code>.</p>`}`,
    { script: passkeyScript },
  )
}

function done({ done, passkeys }: PasskeysPageProps): Markup {
  if (done === undefined) return markup``
  const wasLast = done === 'revoked' && passkeys.length === 0
  return markup`<p class="done" role="status">${doneWords[done]}${wasLast && ' It was your last one.'}</p>`
}

const doneWords = {
  added: 'The passkey was added.',
  renamed: 'The passkey has another name.',
  revoked: 'The passkey was revoked.',
} as const

function row(frame: Frame, passkey: PasskeyItem): Markup {
  const { name, kind, createdAt, usedAt, renameAction, signAction, revokeAction } = passkey
  const used = usedAt === undefined ? 'never used' : markup`last used ${day(frame, usedAt)}`
  return markup`<li><div><strong>${visible(name)}</strong> <span class="tag">${kind === 'synced' ? 'Synced' : 'On one device'}</span>
<p class="soft small">Added ${day(frame, createdAt)}, ${used}</p>
<details class="more"><summary>Change its name</summary><form method="post" action="${renameAction}" class="stack">${csrfField(frame)}<div class="field"><label for="name-${passkey.id}">Name</label><input id="name-${passkey.id}" name="name" value="${name}" maxlength="60" required autocomplete="off">${problemOf({ id: `name-${passkey.id}`, problem: '' })}</div><div class="answers"><button>Save the name</button></div></form></details></div>
<form method="post" action="${revokeAction}" data-sign="${signAction}">${csrfField(frame)}<button class="destroy" aria-label="Revoke ${visiblePlain(name)}">Revoke</button>${passkeyProblem()}</form></li>`
}

function adding(frame: Frame, { passkeys, addAction, addOptions, suggestedName }: PasskeysPageProps): Markup {
  const words =
    passkeys.length === 0
      ? 'Your device or password manager keeps it. It signs only after your fingerprint, face or PIN, which no program can give for you.'
      : 'You confirm with a passkey that you have, then make the new one.'
  return markup`<section class="stack"><div><h2>${passkeys.length === 0 ? 'Make a passkey' : 'Add another passkey'}</h2><p class="hint">${words}</p></div>
${needsScript('Making a passkey needs JavaScript, which this browser does not run here.')}
<form method="post" action="${addAction}" class="stack" data-sign="${addOptions}">${csrfField(frame)}
<div class="field"><label for="name">Name</label><p class="hint" id="name-hint">For you, to tell your passkeys apart.</p><input id="name" name="name" value="${suggestedName}" maxlength="60" required autocomplete="off" aria-describedby="name-hint">${problemOf({ id: 'name', problem: '' })}</div>
<div class="answers"><button class="accept">${passkeys.length === 0 ? 'Make a passkey' : 'Add a passkey'}</button></div>${passkeyProblem()}</form></section>`
}

import type { PushSubscription } from '../../../participant/owned.ts'
import { csrfField, documentOf, heading } from '../layout/frame.ts'
import { icons } from '../layout/icons.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { minifyScript } from '../layout/script.ts'
import { day } from '../layout/times.ts'
import type { Frame } from '../props.ts'
import { visible, visiblePlain } from '../question/quote.ts'

export interface NotificationsPageProps {
  readonly subscriptions: readonly (Pick<PushSubscription, 'name' | 'createdAt' | 'expiresAt'> & {
    readonly testAction: string
    readonly removeAction: string
  })[]
  /** What this browser binds its subscription to; absent where no channel tells browsers. */
  readonly publicKey?: string
  readonly problem?: string
  readonly done?: string
}

/** Lists the browsers in which a person is told, and lets them switch notifications on in this one. */
export function notificationsPage(
  frame: Frame,
  { subscriptions, publicKey, problem, done }: NotificationsPageProps,
): string {
  const lead =
    subscriptions.length === 0
      ? 'No browser tells you when you are asked.'
      : 'These browsers tell you when you are asked. Remove any that you do not know or no longer use.'
  return documentOf(
    frame,
    'Notifications',
    markup`${problem !== undefined && markup`<div class="errors" role="alert" tabindex="-1" autofocus>${icons.lost}<div><h2>That did not work</h2><p>${problem}</p></div></div>`}
${heading('inbox', 'Notifications', lead)}
${done !== undefined && markup`<p class="done" role="status">${done}</p>`}
${subscriptions.length > 0 && markup`<ul class="rows">${subscriptions.map((one) => row(frame, one))}</ul>`}
${publicKey === undefined ? markup`<p class="soft">Nothing is sent to browsers here. Whoever runs this installation can switch it on with a <code>push</code> channel.</p>` : adding(frame, publicKey)}`,
    publicKey === undefined
      ? {}
      : { script: pushScript, head: markup`<link rel="manifest" href="/app/manifest.webmanifest">\n` },
  )
}

function row(
  frame: Frame,
  { name, createdAt, expiresAt, testAction, removeAction }: NotificationsPageProps['subscriptions'][number],
): Markup {
  return markup`<li><div><strong>${visible(name)}</strong>
<p class="soft small">Since ${day(frame, createdAt)}, until ${day(frame, expiresAt)}</p></div>
<form method="post" action="${testAction}">${csrfField(frame)}<button aria-label="Send a test to ${visiblePlain(name)}">Test</button></form>
<form method="post" action="${removeAction}">${csrfField(frame)}<button class="destroy" aria-label="Remove ${visiblePlain(name)}">Remove</button></form></li>`
}

function adding(frame: Frame, publicKey: string): Markup {
  return markup`<section class="stack"><div><h2>Notify me in this browser</h2><p class="hint">A notification says which server needs what of you, and who asks. It shows no arguments. Its text is sealed for this browser; the push service of its maker learns when you are told. On a phone, add this page to the home screen first.</p></div>
<noscript><p>Notifications need JavaScript, which this browser does not run here.</p></noscript>
<form method="post" action="/push" class="stack" data-push="${publicKey}">${csrfField(frame)}<input type="hidden" name="subscription">
<div class="answers"><button class="accept">Switch on</button></div><p class="warning" data-problem role="alert" hidden></p></form></section>`
}

/** Asks the browser for a subscription, and posts it with the form. */
const pushScript = minifyScript(`
const problems = {
  NotSupportedError: 'This browser shows no notifications here. On an iPhone or iPad, add this page to the home screen first.',
  NotAllowedError: 'Notifications are blocked for this site. Allow them in the settings of the browser, then try again.',
  AbortError: 'The push service of this browser could not be reached. Try again later.',
}
async function subscribed(applicationServerKey) {
  if (!navigator.serviceWorker || !self.PushManager || !self.Notification) throw { name: 'NotSupportedError' }
  if (await Notification.requestPermission() !== 'granted') throw { name: 'NotAllowedError' }
  await navigator.serviceWorker.register('/app/worker.js', { scope: '/' })
  const { pushManager } = await navigator.serviceWorker.ready
  // What this browser had may be bound to another key, or to another person.
  await (await pushManager.getSubscription())?.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
}
addEventListener('submit', async (event) => {
  const form = event.target
  if (!form.dataset.push || event.defaultPrevented) return
  event.preventDefault()
  const problem = form.querySelector('[data-problem]')
  problem.hidden = true
  try {
    form.elements.subscription.value = JSON.stringify(await subscribed(form.dataset.push))
    form.submit()
  } catch (error) {
    sent.delete(form)
    problem.hidden = false
    problem.textContent = problems[error.name] || 'Notifications could not be switched on. Try again.'
    event.submitter?.focus()
  }
})
`)

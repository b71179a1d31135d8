import type { ChannelBrowsers } from '../../elicitation/channel.ts'
import type { PushSubscription } from '../../participant/owned.ts'
import { readPushTarget } from '../../participant/push-target.ts'
import { readPost } from '../http/post.ts'
import { type NotificationsPageProps, notificationsPage } from '../pages/notifications/notifications-page.ts'
import { frameFor, notice } from '../render.ts'
import type { WebContext } from '../site.ts'
import { admit } from '../viewer/admit.ts'
import { browserName } from '../viewer/browser-name.ts'
import { rememberTold } from '../viewer/told-browser.ts'
import type { Viewer } from '../viewer/viewer.ts'

/** Lists the browsers in which a person is told, and lets them add this one. */
export async function showPush(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  return viewer instanceof Response ? viewer : draw(c, viewer)
}

const doneWords = {
  added: 'This browser tells you from now on.',
  removed: 'That browser tells you nothing any more.',
  tested: 'A notification was sent.',
} as const

async function draw(c: WebContext, viewer: Viewer, problem?: string): Promise<Response> {
  const done = doneWords[c.req.query('done') as keyof typeof doneWords] as string | undefined
  const mine = await c.var.site.assent.subscriptions.list(viewer.participant)
  const publicKey = browsersOf(c)?.publicKey()
  if (publicKey !== undefined) c.set('isInstallable', true)
  const props: NotificationsPageProps = {
    subscriptions: mine.map(({ id, name, createdAt, expiresAt }) => ({
      name,
      createdAt,
      expiresAt,
      testAction: `/push/${id}/test`,
      removeAction: `/push/${id}/remove`,
    })),
    ...(publicKey !== undefined && { publicKey }),
    ...(problem !== undefined && { problem }),
    ...(problem === undefined && done !== undefined && { done }),
  }
  return c.html(notificationsPage(frameFor(c), props), problem === undefined ? 200 : 422)
}

function browsersOf(c: WebContext): ChannelBrowsers | undefined {
  return c.var.site.assent.channels.find(({ browsers }) => browsers !== undefined)?.browsers
}

/** Adds this browser by the subscription that its script got from the push service. */
export async function addPush(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const { assent, limits, enrolledMs } = c.var.site
  const target = readPushTarget(form.get('subscription'))
  const browsers = browsersOf(c)
  if (browsers === undefined) return draw(c, viewer, 'Nothing is sent to browsers here.')
  if (target === undefined) return draw(c, viewer, 'No subscription came with the form. Switching on needs JavaScript.')
  if (!browsers.accepts(target.endpoint)) {
    return draw(c, viewer, 'The address that this browser gave is not one of a push service on the internet.')
  }
  const { participant, groups, browser } = viewer
  const latest = assent.clock.now().getTime() + enrolledMs
  const added = await assent.subscriptions.add({
    participant,
    groups,
    target,
    name: browserName(c.req.header('user-agent')),
    // A sign-in is short and renewed, so it does not say how long the browser is this person's.
    expiresAt: new Date(browser?.by === 'link' ? Math.min(browser.expiresAt.getTime(), latest) : latest),
    most: limits.pushesPerPerson,
    ...(browser && { browser: browser.id }),
  })
  if (added === 'too-many') {
    const most = limits.pushesPerPerson
    const browsers = most === 1 ? '1 browser' : `${most} browsers`
    return draw(c, viewer, `You have notifications in ${browsers}, which is the most. Remove one first.`)
  }
  if (added === 'taken')
    return draw(c, viewer, 'This browser shows notifications of somebody else. Switch notifications off there first.')
  const newest = (await assent.subscriptions.list(participant)).at(-1)
  if (newest !== undefined) rememberTold(c, participant, newest.id, enrolledMs)
  return c.redirect('/push?done=added', 303)
}

/** Sends a notification to one of a person's own browsers. */
export async function testPush(c: WebContext): Promise<Response> {
  const opened = await openOwn(c)
  if (opened instanceof Response) return opened
  const { viewer, one } = opened
  try {
    await browsersOf(c)?.test(one.key)
  } catch (error) {
    c.var.site.onError(error)
    return draw(
      c,
      viewer,
      'The push service did not take the message. Try again, or remove the browser and add it again.',
    )
  }
  const isThere = (await c.var.site.assent.subscriptions.list(viewer.participant)).some(({ id }) => id === one.id)
  return isThere
    ? c.redirect('/push?done=tested', 303)
    : draw(c, viewer, 'That browser takes no notifications any more, so it was removed.')
}

export async function removePush(c: WebContext): Promise<Response> {
  const opened = await openOwn(c)
  if (opened instanceof Response) return opened
  const { viewer, one } = opened
  await c.var.site.assent.subscriptions.remove(viewer.participant, one.id, 'person')
  return c.redirect('/push?done=removed', 303)
}

interface Opened {
  readonly viewer: Viewer
  readonly one: PushSubscription
}

async function openOwn(c: WebContext): Promise<Opened | Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const mine = await c.var.site.assent.subscriptions.list(viewer.participant)
  const one = mine.find(({ id }) => id === c.req.param('id'))
  return one === undefined ? notice(c, 404, { kind: 'not-found' }) : { viewer, one }
}

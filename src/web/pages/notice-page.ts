import { documentOf, heading } from './layout/frame.ts'
import { type Markup, markup } from './layout/markup.ts'
import type { Frame, NoticePageProps } from './props.ts'
import { visible } from './question/quote.ts'

/** Says what happened, and what to do now. */
export function noticePage(frame: Frame, { kind, detail, next }: NoticePageProps): string {
  const { icon, tone, title, words, remedy } = notices[kind]
  return documentOf(
    frame,
    title,
    markup`${heading(icon, title, words, tone)}
${detail?.trim() && markup`<p>${visible(detail, 600)}</p>`}
<p>${remedy}</p>
${next !== undefined && markup`<p><a class="button" href="${next.href}">${visible(next.label)}</a></p>`}`,
  )
}

interface Notice {
  readonly icon: 'done' | 'no' | 'lost' | 'clock' | 'browser' | 'key'
  readonly tone: 'good' | 'bad' | ''
  readonly title: string
  readonly words: string
  readonly remedy: Markup | string
}

/** One page for both, so that nobody learns whether someone else was asked a question. */
const nothingHere: Notice = {
  icon: 'lost',
  tone: '',
  title: 'There is nothing here for you',
  words: 'The question no longer exists, or someone else was asked.',
  remedy:
    'Check that the link is complete, and that you are signed in as the person who was asked. If the question no longer exists, let your client try again.',
}

const runOpen = markup`Run <code>assent open</code> in a terminal on this machine, and open the link it prints.`
const tryAgain = 'Go back to your client and let it try again. It then gives you a new link.'

const notices: Readonly<Record<NoticePageProps['kind'], Notice>> = {
  'not-yours': nothingHere,
  'not-found': nothingHere,
  'sign-in': {
    icon: 'key',
    tone: '',
    title: 'Sign in first',
    words: 'This page shows only your own questions, so it must know who you are.',
    remedy: 'After signing in you come back here.',
  },
  'enroll-first': {
    icon: 'browser',
    tone: '',
    title: 'This browser is not known yet',
    words: 'Only browsers that you added can see your questions and answer them.',
    remedy: runOpen,
  },
  'link-used': {
    icon: 'no',
    tone: '',
    title: 'This link no longer works',
    words: 'Each link adds one browser, once, within ten minutes.',
    remedy: runOpen,
  },
  'phone-link-used': {
    icon: 'no',
    tone: '',
    title: 'This link no longer works',
    words: 'Each link lets one phone in, once, within five minutes, while the browser that showed it is signed in.',
    remedy: 'Show a new code on the page “Browsers” there, or sign in here.',
  },
  'form-old': {
    icon: 'clock',
    tone: '',
    title: 'This page is out of date',
    words: 'You signed out or in again after it was opened. Nothing was sent.',
    remedy: 'Open the page again and answer there.',
  },
  'too-many': {
    icon: 'clock',
    tone: '',
    title: 'Too many requests',
    words: 'Too many requests came from here in a short time. Nothing was sent.',
    remedy: 'Wait a minute, then try again.',
  },
  'login-failed': {
    icon: 'lost',
    tone: 'bad',
    title: 'Signing in did not work',
    words: 'You are not signed in.',
    remedy: 'Try again. If it keeps failing, tell the person who runs this installation.',
  },
  connected: {
    icon: 'done',
    tone: 'good',
    title: 'Account connected',
    words: 'The access is stored encrypted. You can disconnect at any time.',
    remedy: 'You can close this page and go back to where you came from.',
  },
  'connected-too-little': {
    icon: 'lost',
    tone: '',
    title: 'Connected, but with less access than needed',
    words: 'The account is connected. Some of the access was not granted, so the request that needed it was declined.',
    remedy: 'To grant the rest, let your client try again, and leave everything ticked.',
  },
  'connect-denied': {
    icon: 'no',
    tone: '',
    title: 'Not connected',
    words: 'You or the service declined. Nothing was stored.',
    remedy: 'You can close this page. To be asked again, let your client try again.',
  },
  'connect-failed': {
    icon: 'lost',
    tone: 'bad',
    title: 'Connecting did not work',
    words: 'Nothing was stored.',
    remedy: tryAgain,
  },
  'connect-refused': {
    icon: 'lost',
    tone: 'bad',
    title: 'This sign-in was not started here',
    words:
      'It was started in another browser or by someone else, took too long, or was completed before. Nothing was stored.',
    remedy: 'If you started it, start again in this browser. If you did not, close this page.',
  },
  'signed-out': {
    icon: 'done',
    tone: '',
    title: 'You are signed out',
    words: 'This browser can no longer see or answer your questions.',
    remedy: 'You can close this page.',
  },
  enrolled: {
    icon: 'done',
    tone: 'good',
    title: 'This browser is yours',
    words: 'Questions for you can be answered here from now on.',
    remedy: 'You can close this page, or open the question you came for.',
  },
  broken: {
    icon: 'lost',
    tone: 'bad',
    title: 'Something broke on our side',
    words: 'Your request may not have been carried out. No tool runs without a recorded yes.',
    remedy: 'Try again in a moment. If it keeps happening, check the log of this installation.',
  },
}

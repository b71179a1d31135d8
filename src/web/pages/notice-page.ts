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
  words: 'The question is gone, or it was put to someone else.',
  remedy:
    'Check that the link is whole, and that you are signed in as the one who was asked. A question that is gone is asked again when your client tries once more.',
}

const runOpen = markup`Run <code>assent open</code> in a terminal on this machine, and open the link it prints.`
const tryAgain = 'Go back to your client and let it try once more. It then gives you a new link.'

const notices: Readonly<Record<NoticePageProps['kind'], Notice>> = {
  'not-yours': nothingHere,
  'not-found': nothingHere,
  'sign-in': {
    icon: 'key',
    tone: '',
    title: 'Sign in first',
    words: 'This page shows only what was asked of you, so it must know who you are.',
    remedy: 'After signing in you come back here.',
  },
  'enroll-first': {
    icon: 'browser',
    tone: '',
    title: 'This browser is not known yet',
    words: 'Only a browser that you let in once can see your questions and answer them.',
    remedy: runOpen,
  },
  'link-used': {
    icon: 'no',
    tone: '',
    title: 'This link was used before',
    words: 'Each link lets in one browser, once, and only for a short time.',
    remedy: runOpen,
  },
  'form-old': {
    icon: 'clock',
    tone: '',
    title: 'This page was too old',
    words: 'You were signed out, or signed in anew, since it was opened. Nothing was sent.',
    remedy: 'Open the page again and answer there.',
  },
  'too-many': {
    icon: 'clock',
    tone: '',
    title: 'That was too often',
    words: 'There were too many requests from here in a short time. Nothing was sent.',
    remedy: 'Wait a minute, then try again.',
  },
  'login-failed': {
    icon: 'lost',
    tone: 'bad',
    title: 'Signing in did not work',
    words: 'You are not signed in.',
    remedy: 'Try again. If it keeps failing, tell whoever runs this installation.',
  },
  connected: {
    icon: 'done',
    tone: 'good',
    title: 'Account connected',
    words: 'What was received is stored encrypted. You can disconnect at any time.',
    remedy: 'You can close this page and go back to where you came from.',
  },
  'connected-too-little': {
    icon: 'lost',
    tone: '',
    title: 'Connected, but with less than was needed',
    words: 'The account is connected. Some of what was asked for was not granted there, so what needs it was told no.',
    remedy: 'To grant the rest, let your client try once more, and leave everything ticked.',
  },
  'connect-denied': {
    icon: 'no',
    tone: '',
    title: 'Not connected',
    words: 'You, or the service, said no. Nothing was kept.',
    remedy: 'You can close this page. To be asked again, let your client try once more.',
  },
  'connect-failed': {
    icon: 'lost',
    tone: 'bad',
    title: 'Connecting did not work',
    words: 'Nothing was kept.',
    remedy: tryAgain,
  },
  'connect-refused': {
    icon: 'lost',
    tone: 'bad',
    title: 'This sign-in was not begun here',
    words: 'It was begun in another browser or by someone else, took too long, or was used before. Nothing was kept.',
    remedy: 'If you began it, begin again in this browser. If you did not, close this page.',
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
    remedy: 'You can close this page, or go on to the question you came for.',
  },
  broken: {
    icon: 'lost',
    tone: 'bad',
    title: 'Something broke on our side',
    words: 'What you wanted may not have happened. Nothing runs without a yes that was kept.',
    remedy: 'Try again in a moment. If it keeps happening, look into the log of this installation.',
  },
}

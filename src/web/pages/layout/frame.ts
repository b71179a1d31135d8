import { type Frame, posted } from '../props.ts'
import { visible, visiblePlain } from '../question/quote.ts'
import { icons } from './icons.ts'
import { constant, type Markup, markup } from './markup.ts'
import { navigation } from './navigation.ts'
import { scriptFor } from './script.ts'
import { styleOf } from './style.ts'

/** The title and contents of a page, so that the inbox can show the contents beside its list. */
export interface Sheet {
  readonly title: string
  readonly body: Markup
  /** A script that only this sheet needs. */
  readonly script?: string
}

/** Additions that only some pages need. */
export interface Extras {
  readonly style?: string
  readonly script?: string
  readonly head?: Markup
  /** The class of the `main` element, where the page is not a single sheet. */
  readonly layout?: string
}

/** A sheet as a whole page. */
export function pageOf(frame: Frame, { title, body, script }: Sheet): string {
  return documentOf(frame, title, body, script === undefined ? {} : { script })
}

/** A whole HTML document, with its style and script inline. It loads nothing else. */
export function documentOf(frame: Frame, title: string, body: Markup, extras: Extras = {}): string {
  const { nonce, look, now } = frame
  return markup`<!doctype html>
<html lang="en" data-now="${now.toISOString()}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="referrer" content="same-origin">
<title>${visiblePlain(title)} · ${visiblePlain(look.title)}</title>
<link rel="icon" href="data:,">
${extras.head}<style nonce="${nonce}">${constant(styleOf(look.primaryColor) + (extras.style ?? ''))}</style>
</head>
<body>
${navigation(frame)}<main id="main" class="${extras.layout ?? 'sheet stack'}">
${body}
</main>
${footer(frame)}
<script nonce="${nonce}">${constant([scriptFor(body.toString()), extras.script ?? ''].join('\n'))}</script>
</body>
</html>
`.toString()
}

/** The icon, title and first sentence of a page. */
export function heading(
  icon: keyof typeof icons,
  title: Markup | string,
  lead: Markup | string = '',
  tone: 'good' | 'bad' | '' = '',
): Markup {
  return markup`<header><div class="asker"><span class="badge ${tone}">${icons[icon]}</span></div><h1>${title}</h1>${lead !== '' && markup`<p class="lead soft">${lead}</p>`}</header>`
}

/** The hidden field with the CSRF token. */
export function csrfField({ csrf }: Frame): Markup {
  return markup`<input type="hidden" name="${posted.csrf}" value="${csrf}">`
}

function footer(frame: Frame): Markup {
  const { viewer, look } = frame
  if (viewer === undefined) return markup`<footer><p>${visible(look.title)}</p></footer>`
  const signOut = markup`<form method="post" action="/logout">${csrfField(frame)}<button class="plain">Sign out</button></form>`
  return markup`<footer>
<p>${visible(look.title)}, signed in as ${visible(viewer.name)}</p>
${viewer.canSignOut && signOut}
</footer>`
}

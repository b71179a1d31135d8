import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { csrfFor } from './http/csrf.ts'
import { localeOf } from './http/locale.ts'
import { noticePage } from './pages/notice-page.ts'
import type { Frame, NoticePageProps } from './pages/props.ts'
import type { WebContext } from './site.ts'
import { isAdmin } from './viewer/is-admin.ts'
import { personName } from './viewer/person-name.ts'

/** What every page needs besides its own contents, for this request. */
export function frameFor(c: WebContext): Frame {
  const { site, nonce, viewer } = c.var
  const { primaryColor, title } = site.assent.pages
  return {
    nonce,
    look: { primaryColor, title },
    locale: localeOf(c.req.header('accept-language')),
    now: site.assent.clock.now(),
    csrf: viewer === undefined ? '' : csrfFor(viewer.cookie),
    path: c.req.path,
    ...(viewer && {
      viewer: {
        name: personName(viewer.participant),
        canSignOut: viewer.browser?.by === 'login',
        isAdmin: isAdmin(site, viewer),
      },
    }),
  }
}

/** Answers with a page that says what happened and what to do now. */
export function notice(
  c: WebContext,
  status: ContentfulStatusCode,
  props: NoticePageProps,
): Response | Promise<Response> {
  return c.html(noticePage(frameFor(c), props), status)
}

import { Hono } from 'hono'
import type { AuditReport } from '../../audit/verify.ts'
import { eventWords } from '../inbox/event-words.ts'
import { type OwnEvent, ownEvents } from '../inbox/own-events.ts'
import { auditPage } from '../pages/audit-page.ts'
import { frameFor } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { admit } from '../viewer/admit.ts'

const mostShown = 300
/** An audit of at most this many events is verified each time. */
const smallEnough = 5_000
const freshMs = 60_000

/** The latest events that concern a person, and whether the whole audit verifies. */
export const auditRoutes = () => {
  const check = checkOncePerMinute()
  return new Hono<WebEnv>().get('/audit', (c) => show(c, check))
}

async function show(c: WebContext, check: (c: WebContext) => Promise<AuditReport>): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const { audit } = c.var.site.assent.store
  const events = withoutAnswersToGrants(await ownEvents(audit, viewer.participant, mostShown))
  const size = (await audit.heads(1_000)).reduce((sum, { seq }) => sum + seq, 0)
  const report = c.req.query('check') !== undefined || size <= smallEnough ? await check(c) : undefined
  return c.html(
    auditPage(frameFor(c), {
      events: events.map((event) => ({ words: eventWords(event), at: event.at })),
      ...(report && { checked: { events: report.events, found: report.found } }),
    }),
  )
}

/** An answer that made a grant has two events. The one about the grant says more, so only that one is shown. */
function withoutAnswersToGrants(events: readonly OwnEvent[]): OwnEvent[] {
  const granted = new Set(events.flatMap(({ kind, data }) => (kind === 'grant-made' ? [data.elicitation] : [])))
  return events.filter(({ kind, about }) => kind !== 'question-answered' || !granted.has(about))
}

/** Verifying reads the whole audit, so requests share one run, and its report is reused for a minute. */
function checkOncePerMinute(): (c: WebContext) => Promise<AuditReport> {
  let latest: { readonly at: number; readonly report: Promise<AuditReport> } | undefined
  return ({ var: { site } }) => {
    const now = site.assent.clock.now().getTime()
    if (latest !== undefined && now - latest.at < freshMs) return latest.report
    const report = site.assent.verifyAudit()
    latest = { at: now, report }
    report.catch(() => {
      latest = undefined
    })
    return report
  }
}

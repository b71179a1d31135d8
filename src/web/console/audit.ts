import { auditKinds } from '../../audit/kinds.ts'
import { AssentError } from '../../base/errors.ts'
import { type ParticipantId, parseParticipantId } from '../../participant/participant.ts'
import { readPost } from '../http/post.ts'
import { consoleAuditPage } from '../pages/console/audit-page.ts'
import { frameFor } from '../render.ts'
import type { WebContext } from '../site.ts'
import { admitAdmin } from '../viewer/admin.ts'
import { readPlace, searchAudit, writePlace } from './audit-search.ts'
import { rowsOfEvents } from './events.ts'

const longestFilter = 200

/** One step of a search in the audit. */
export async function showAudit(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const { assent, auditCheck } = c.var.site
  const query = (name: string) => (c.req.query(name) ?? '').trim().slice(0, longestFilter)
  const [kind, person, text] = [query('kind'), query('person'), query('text')]
  const who = personIn(person)
  const filter = {
    ...(Object.hasOwn(auditKinds, kind) && { kind }),
    ...(who !== undefined && { person: who }),
    ...(text !== '' && { text }),
  }
  // What nobody can be called, nobody did.
  const nobody = person !== '' && who === undefined
  const found = nobody
    ? { events: [], searched: 0 }
    : await searchAudit(assent.store.audit, filter, readPlace(c.req.query('before')))
  const next = 'next' in found ? found.next : undefined
  const older = next && `/console/audit?${new URLSearchParams({ kind, person, text, before: writePlace(next) })}`
  const { state: check } = auditCheck
  if (check.kind === 'running') c.set('isLive', true)
  return c.html(
    consoleAuditPage(frameFor(c), {
      rows: await rowsOfEvents(assent, found.events),
      searched: found.searched,
      kind,
      person,
      text,
      check,
      ...(older !== undefined && { older }),
    }),
  )
}

function personIn(text: string): ParticipantId | undefined {
  try {
    return text === '' ? undefined : parseParticipantId(text)
  } catch (error) {
    if (error instanceof AssentError) return undefined
    throw error
  }
}

/** Begins to check the whole audit, or joins the check that runs. */
export async function startCheck(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  await c.var.site.auditCheck.start()
  return c.redirect('/console/audit', 303)
}

/** The whole audit as a file. */
export async function sendExport(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const { assent } = c.var.site
  await assent.record({ kind: 'audit-exported', who: viewer.participant })
  const lines = assent.exportAudit()[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await lines.return?.()),
  })
  const day = assent.clock.now().toISOString().slice(0, 10)
  return c.body(body, 200, {
    'Content-Type': 'application/x-ndjson',
    'Content-Disposition': `attachment; filename="assent-audit-${day}.ndjson"`,
  })
}

import { expect, test } from 'vitest'
import type { Assent, Elicitation } from '../../../src/index.ts'
import type { Asked, AskedClient, Connect, Reply } from '../asking/asking-clients.ts'
import { type GatedOptions, gated, newServer } from '../gateway/gateways.ts'
import { allowOnce, answerOnPage, deny, idIn } from '../server/approving.ts'
import { localPage, nextAsked, say } from '../server/servers.ts'
import { handClock } from './hand-clock.ts'

/** What a published client does on the wire. */
export interface PublishedClient {
  readonly info: { name: string; version: string }
  /** Speaks the revision that the client settles on. */
  readonly how: Connect
  /** What it declares; undefined: nothing that can be asked. */
  readonly elicitation?: Record<string, unknown> | undefined
  readonly userAgent?: string
  readonly meta?: Record<string, unknown>
  /** How it answers for its person, in the milliseconds that this takes. Left out: somebody reads the question first. */
  readonly alone?: Reply['action']
  /** By what its person sees an approval of one line of arguments. */
  readonly sees: 'form' | 'page' | 'nothing'
}

/** Longer than any client takes that answers for its person. */
const readingMs = 1_100

const args = { path: '/tmp/notes.txt' }

/** A gateway in front of one tool whose every call is asked about, and what the tool did. */
export async function askingGateway(hold: number | string = 50, rule: object = {}, more: GatedOptions = {}) {
  const deeds: string[] = []
  const clock = handClock()
  const url = await newServer(
    (server) =>
      void server.registerTool('write_file', {}, () => {
        deeds.push('write_file')
        return say('written')
      }),
  )
  const policy = { default: 'ask', fallback: 'inbox', rules: [{ tool: '*', decide: 'ask', ...rule }] } as never
  const options = { clocks: { hold: hold as never }, assentOptions: { policy, clock } }
  const place = await gated({ files: { url } }, { ...options, ...more })
  return { ...place, deeds, clock }
}

export function connectAs(
  { connect }: Awaited<ReturnType<typeof askingGateway>>,
  { info, how, elicitation, userAgent, meta }: PublishedClient,
): Promise<AskedClient> {
  return connect(how, { only: 'files', info, elicitation, userAgent, meta })
}

export async function openQuestions(assent: Assent): Promise<Elicitation[]> {
  return assent.store.elicitations.listAllOpen(10)
}

/** The person of this client decides, wherever they see the question. */
async function decided(
  place: Awaited<ReturnType<typeof askingGateway>>,
  published: PublishedClient,
  choice: 'allow_once' | 'deny',
) {
  const client = await connectAs(place, published)
  const asked = nextAsked(place.assent)
  const onPage = async (elicitation: Elicitation) =>
    void (await answerOnPage(place.assent, elicitation, localPage, { choice }))
  client.answers(async (shown: Asked): Promise<Reply> => {
    if (published.alone !== undefined) return { action: published.alone }
    place.clock.advance(readingMs)
    if (shown.mode !== 'url') return choice === 'deny' ? deny(shown) : allowOnce(shown)
    const elicitation = await place.assent.get(idIn(shown.url))
    setTimeout(() => void onPage(elicitation as Elicitation), 20)
    return { action: 'accept' }
  })
  const calling = client.call('write_file', args)
  if (published.sees === 'nothing') await onPage(await asked)
  return { client, result: await calling }
}

/** What must hold for every client: nobody's answer is never a yes, and a person's answer is never lost. */
export function replays(published: PublishedClient): void {
  const isAsked = published.sees !== 'nothing'

  test('an asked call is put to its person, whose yes runs it once', async () => {
    const place = await askingGateway('5m')
    const { client, result } = await decided(place, published, 'allow_once')
    expect(result.text).toContain('written')
    expect(place.deeds).toEqual(['write_file'])
    const shown = client.asked.map(({ mode }) => (mode === 'url' ? 'page' : 'form'))
    // One that nothing tells apart is asked once, and its answer counts for nothing.
    const isUnknown = published.alone !== undefined && published.userAgent === undefined && published.meta === undefined
    expect(shown).toEqual(isAsked ? [published.sees] : isUnknown ? ['form'] : [])
  })

  test('a no runs nothing, and says what to do', async () => {
    const place = await askingGateway('5m')
    const { result } = await decided(place, published, 'deny')
    expect(result.outcome).toMatchObject({ status: 'denied' })
    expect(result.text).toContain('Do not try again unless they ask for it.')
    expect(result.structuredContent).toBeUndefined()
    expect(place.deeds).toEqual([])
  })

  if (isAsked) return
  test('without an answer it ends in words with a link, and a later yes counts for the same call in its next session, once', async () => {
    const place = await askingGateway()
    const first = await connectAs(place, published)
    const { alone = 'cancel' } = published
    first.answers((shown) => (alone === 'accept' ? allowOnce(shown) : { action: alone }))
    const pending = await first.call('write_file', args)
    expect(pending.outcome).toEqual({ status: 'pending', reason: 'waiting-for-approval' })
    const [asked, ...more] = await openQuestions(place.assent)
    expect(more).toEqual([])
    const link = place.assent.linkTo((asked as Elicitation).id, 'approve')
    expect(pending.text).toContain(`Tell the person this link: ${link}`)
    expect(pending.structuredContent).toBeUndefined()
    await first.endSession()
    await first.close()

    await answerOnPage(place.assent, asked as Elicitation, localPage)
    const next = await connectAs(place, published)
    next.answers(() => ({ action: alone }))
    expect((await next.call('write_file', args)).text).toContain('written')
    expect((await next.call('write_file', args)).outcome).toMatchObject({ status: 'pending' })
    expect(place.deeds).toEqual(['write_file'])
  })
}

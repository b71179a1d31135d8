import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../src/index.ts'
import { type Asked, type AskedClient, everyClient, type Reply } from '../support/asking/asking-clients.ts'
import { everyField } from '../support/asking/asking-example.ts'
import { overHttp, overStdio, type Place } from '../support/asking/asking-places.ts'
import { onPage } from '../support/asks.ts'

const planted = 'sk_live_planted_4eC39HqLyjWDarjtT1zdp7dc'
const local = onPage('local' as never)
const accept = (content: Reply['content'] = {}): Reply => ({ action: 'accept', content })
const decline: Reply = { action: 'decline' }
const cancel: Reply = { action: 'cancel' }

/** One client at one place, and everything a scenario does with them. */
interface Cell {
  readonly client: AskedClient
  readonly place: Place
  readonly revision: string
  connect(elicitation: Record<string, unknown> | undefined): Promise<AskedClient>
}

interface Scenario {
  readonly name: string
  play(cell: Cell): Promise<void>
}

/** The person says yes to opening the page, and someone answers there. */
async function answerOnPage({ client, place }: Cell, message: string, answer: Answer) {
  const opened = new Promise<Asked>((resolve) => {
    client.answers((asked) => {
      resolve(asked)
      return { action: 'accept' }
    })
  })
  const asked = await opened
  const { id } = await place.waiting(({ question }) => question.message === message)
  expect(await place.assent.answer(id, local, answer)).toMatchObject({ kind: 'kept' })
  return { asked, id }
}

const whole = {
  name: 'Grace',
  email: 'grace@example.com',
  site: 'https://example.com/g',
  day: '2026-07-28',
  moment: '2026-07-28T10:00:00Z',
  ratio: 0.25,
  count: 4,
  loud: false,
  size: 'l',
  colour: 'g',
  shape: 'x',
  days: ['mon', 'wed'],
  meals: ['d'],
}

/** Fills in a form of 2025-06-18, which says a list of choices as ticks: those whose titles end with a choice. */
function ticks({ requestedSchema }: Asked): Reply['content'] {
  const { days, meals, ...others } = whole
  const titles = ['mon', 'wed', 'Dinner']
  const boxes = Object.entries(requestedSchema?.properties ?? {}).filter(([name]) => !(name in whole))
  return {
    ...others,
    ...Object.fromEntries(boxes.map(([name, { title }]) => [name, titles.some((one) => String(title).endsWith(one))])),
  }
}

const scenarios: Scenario[] = [
  {
    name: 'a form with every type of field comes back whole (E06-04, E11-12, E11-14, E11-15)',
    async play({ client, revision }) {
      client.answers((asked) => accept(revision === '2025-06-18' ? ticks(asked) : whole))
      const { text } = await client.call('every-field')
      expect(JSON.parse(text)).toEqual(whole)

      const [{ message, requestedSchema } = { message: '' }] = client.asked
      expect(message).toBe('Tell us everything')
      const fields = requestedSchema?.properties ?? {}
      if (revision === '2025-06-18') {
        const all = Object.values(fields)
        expect(all.map(({ type }) => type)).not.toContain('array')
        expect(all.filter((field) => 'oneOf' in field || ('default' in field && field.type !== 'boolean'))).toEqual([])
        expect(fields.shape).toMatchObject({ enum: ['o', 'x'], enumNames: ['Circle', 'Cross'] })
      } else {
        expect(fields).toEqual(everyField.properties)
        expect(requestedSchema?.required).toEqual(everyField.required)
      }
    },
  },
  {
    name: 'what the author need not be told may be left out, and a default is the client’s to fill in (E11-16)',
    async play({ client, revision }) {
      const least = { name: 'Al', email: 'al@example.com', count: 1 }
      client.answers((asked) => {
        const boxes = Object.entries(asked.requestedSchema?.properties ?? {})
        const tick = boxes.find(([name, { title }]) => !(name in whole) && String(title).endsWith('tue'))?.[0]
        return accept(revision === '2025-06-18' ? { ...least, [String(tick)]: true } : { ...least, days: ['tue'] })
      })
      expect(JSON.parse((await client.call('every-field')).text)).toEqual({ ...least, days: ['tue'] })
    },
  },
  {
    name: 'a schema of zod gives what zod makes of the answer',
    async play({ client }) {
      client.answers(() => accept({ ticket: 'T-7' }))
      expect((await client.call('ticket')).text).toBe('T-7 false')
    },
  },
  {
    name: 'a decline is a result with its reason (E06-05, E26-06)',
    async play({ client }) {
      client.answers(() => decline)
      const outcome = { status: 'declined', reason: 'declined' }
      expect(await client.call('branch')).toEqual({
        text: 'The person declined. Do not try again unless they ask for it.',
        isError: true,
        outcome,
        meta: expect.objectContaining({ 'assent/outcome': outcome }),
      })
    },
  },
  {
    name: 'a cancel is not a decline (E06-05, E26-06)',
    async play({ client }) {
      client.answers(() => cancel)
      expect(await client.call('branch')).toMatchObject({
        isError: true,
        outcome: { status: 'cancelled', reason: 'cancelled' },
      })
    },
  },
  {
    name: 'an answer that does not fit is asked again with what was wrong (E06-07, E11-40)',
    async play({ client }) {
      client.answers(() => accept({ branch: client.asked.length === 1 ? 'far too long a name' : 'main' }))
      expect((await client.call('branch')).text).toBe('on main')
      const [first, second] = client.asked
      expect(first?.message).toBe('Which branch?')
      expect(second?.message).toMatch(/^Which branch\?\n\n.*Branch.*8/s)
    },
  },
  {
    name: 'after three answers that do not fit the call ends (E06-07, E11-40)',
    async play({ client }) {
      client.answers(() => accept({ branch: 'far too long a name' }))
      expect(await client.call('branch')).toMatchObject({ isError: true, outcome: { status: 'invalid' } })
      expect(client.asked).toHaveLength(3)
    },
  },
  {
    name: 'what only the author’s own schema can tell is asked again too',
    async play({ client }) {
      client.answers(() => accept({ ticket: client.asked.length === 1 ? 'seven' : 'T-8', urgent: true }))
      expect((await client.call('ticket')).text).toBe('T-8 true')
    },
  },
  {
    name: 'a page is waited for until it is settled from outside (E11-17, E11-19, E26-03)',
    async play(cell) {
      const { client, revision } = cell
      const calling = client.call('sign', { text: 'contract' })
      if (revision === '2025-06-18') {
        const refusal = { status: 'cannot-ask', reason: 'url-undeclared' }
        expect(await calling).toMatchObject({ isError: true, outcome: refusal })
        return
      }
      const { asked, id } = await answerOnPage(cell, 'Please sign', { action: 'accept' })
      expect((await calling).text).toBe('signed accept')
      expect(client.asked).toHaveLength(1)
      expect(asked).toMatchObject({ mode: 'url', url: 'https://sign.example.com/contract' })
      expect(asked.elicitationId).toBe(revision === '2025-11-25' ? id : undefined)
      expect(client.completed).toEqual(revision === '2025-11-25' ? [id] : [])
    },
  },
  {
    name: 'a person who declines to open a page has declined the question (E26-06)',
    async play({ client, place, revision }) {
      client.answers(() => decline)
      const status = revision === '2025-06-18' ? 'cannot-ask' : 'declined'
      expect(await client.call('sign', { text: 'treaty' })).toMatchObject({ isError: true, outcome: { status } })
      expect(await place.assent.listOpen(local, 100)).toEqual([])
    },
  },
  {
    name: 'a secret goes to its page, and is in no byte the client receives (E11-02, E11-27, E11-32, E06-01)',
    async play(cell) {
      const { client, place, revision } = cell
      const type = randomUUID()
      const calling = client.call('charge', { text: type })
      if (revision === '2025-06-18') {
        expect(await calling).toMatchObject({ isError: true, outcome: { status: 'cannot-ask' } })
        expect(client.asked).toEqual([])
        return
      }
      const answer = { action: 'accept', content: { apiKey: planted } } as const
      const { asked, id } = await answerOnPage(cell, 'Your payment service', answer)
      expect((await calling).text).toBe(`charged with ${planted.length} letters`)
      expect(asked.url).toMatch(new RegExp(`/elicit/${id}/api-key$`))

      client.answers(() => decline)
      expect((await client.call('charge', { text: type })).text).toMatch(/^charged/)
      expect(client.asked).toHaveLength(1)
      expect(client.received()).toContain('charged with')
      for (const encoding of ['utf8', 'base64', 'hex'] as const) {
        expect(client.received()).not.toContain(Buffer.from(planted).toString(encoding).replace(/=+$/, ''))
      }
      expect(await place.assent.getResult('local' as never, id)).toMatchObject({ data: { apiKey: planted } })
    },
  },
  {
    name: 'a yes lets it happen once (M26-11)',
    async play({ client, place }) {
      const what = randomUUID()
      client.answers(() => accept({ confirm: true }))
      expect((await client.call('delete', { text: what })).text).toBe(`did delete ${what}`)
      expect(await place.deeds()).toContain(`delete ${what}`)
      expect(client.asked[0]?.requestedSchema?.properties.confirm).toMatchObject({ type: 'boolean', default: false })
    },
  },
  {
    name: 'accept without the yes itself is not a yes',
    async play({ client, place }) {
      const what = randomUUID()
      client.answers(() => accept({ confirm: false }))
      expect(await client.call('delete', { text: what })).toMatchObject({
        isError: true,
        outcome: { status: 'declined' },
      })
      expect(await place.deeds()).not.toContain(`delete ${what}`)
    },
  },
  {
    name: 'two questions in turn, the second made from the answer to the first (M26-13)',
    async play({ client }) {
      client.answers(({ message }) => accept(message === 'First?' ? { a: 'egg' } : { b: 'hen' }))
      expect((await client.call('in-turn')).text).toBe('egg then hen')
      expect(client.asked.map(({ message }) => message)).toEqual(['First?', 'After egg?'])
    },
  },
  {
    name: 'two questions together; in one round where there are rounds (M26-03, M26-14)',
    async play({ client, revision }) {
      const before = client.sent.filter(({ method }) => method === 'tools/call').length
      client.answers(({ message }) => accept(message === 'One?' ? { a: 'salt' } : { b: 'pepper' }))
      expect((await client.call('together')).text).toBe('salt and pepper')
      const calls = client.sent.filter(({ method }) => method === 'tools/call').length - before
      expect(calls).toBe(revision === '2026-07-28' ? 2 : 1)
      expect(client.asked.map(({ message }) => message).sort()).toEqual(['One?', 'Two?'])
    },
  },
  {
    name: 'a prompt asks (M26-02)',
    async play({ client }) {
      client.answers(() => accept({ tone: 'warm' }))
      expect(await client.prompt('plan', { topic: 'tea' })).toBe('tea, warm')
      client.answers(() => decline)
      await expect(client.prompt('plan', { topic: 'tea' })).rejects.toMatchObject({
        code: -31_001,
        data: { status: 'declined', reason: 'declined' },
      })
    },
  },
  {
    name: 'a resource asks (M26-02)',
    async play({ client }) {
      client.answers(() => accept({ page: 3 }))
      expect(await client.read('note://today')).toBe('page 3')
      client.answers(() => cancel)
      await expect(client.read('note://today')).rejects.toMatchObject({ code: -31_001, data: { status: 'cancelled' } })
    },
  },
  {
    name: 'what is done once is done once, though the handler is walked again',
    async play({ client, place }) {
      const what = randomUUID()
      client.answers(({ message }) => accept(message === 'Which change?' ? { ticket: 'T-1' } : { note: 'fine' }))
      expect((await client.call('deploy', { text: what })).text).toBe(`did deploy ${what} T-1, fine`)
      expect((await place.deeds()).filter((deed) => deed.includes(what))).toEqual([`deploy ${what} T-1`])
    },
  },
  {
    name: 'a refusal of a tool with an output schema has nothing that could break it',
    async play({ client }) {
      await client.listTools()
      client.answers(() => accept({ metres: 4 }))
      expect((await client.call('measure')).structuredContent).toEqual({ metres: 4 })
      client.answers(() => decline)
      const refused = await client.call('measure')
      expect(refused).toMatchObject({ isError: true, outcome: { status: 'declined' } })
      expect(refused.structuredContent).toBeUndefined()
    },
  },
  {
    name: 'a client that declares nothing is not asked (E11-11, M26-12)',
    async play({ connect, revision }) {
      const client = await connect(undefined)
      await expectCannotAsk(client, revision, 'branch', 'form')
      await expectCannotAsk(client, revision, 'sign', 'url')
      expect((await client.call('echo', { text: 'hi' })).text).toBe('hi')
    },
  },
  {
    name: 'a client that declares {} is asked by forms only (E11-09, E11-11)',
    async play({ connect, revision }) {
      const client = await connect({})
      client.answers(() => accept({ branch: 'main' }))
      expect((await client.call('branch')).text).toBe('on main')
      await expectCannotAsk(client, revision, 'sign', 'url')
      await expectCannotAsk(client, revision, 'charge', 'url')
    },
  },
  {
    name: 'a client that declares form only is sent to no page (E11-02, E11-11)',
    async play({ connect, revision }) {
      const client = await connect({ form: {} })
      client.answers(() => accept({ branch: 'main' }))
      expect((await client.call('branch')).text).toBe('on main')
      await expectCannotAsk(client, revision, 'charge', 'url')
    },
  },
  {
    name: 'a client that declares url only is shown no form (E11-11, M26-12)',
    async play(cell) {
      const { connect, revision } = cell
      const client = await connect({ url: {} })
      if (revision === '2025-06-18') {
        await expectCannotAsk(client, revision, 'branch', 'form')
        return
      }
      const calling = client.call('branch')
      await answerOnPage({ ...cell, client }, 'Which branch?', { action: 'accept', content: { branch: 'page' } })
      expect((await calling).text).toBe('on page')
      expect(client.asked.map(({ mode }) => mode)).toEqual(['url'])
    },
  },
]

/** 2025: a result the model can read. 2026: the error that names the mode (B26-10). Never a question. */
async function expectCannotAsk(client: AskedClient, revision: string, tool: string, mode: 'form' | 'url') {
  const before = client.asked.length
  const calling = client.call(tool, { text: randomUUID() })
  if (revision === '2026-07-28') {
    await expect(calling).rejects.toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { elicitation: { [mode]: {} } } },
    })
  } else {
    const outcome = { status: 'cannot-ask', reason: `${mode}-undeclared` }
    expect(await calling).toMatchObject({ isError: true, outcome })
  }
  expect(client.asked).toHaveLength(before)
}

const transports = { HTTP: overHttp, stdio: overStdio }

// Loops and not `each`, which cuts long names off in the report.
for (const [transport, open] of Object.entries(transports)) {
  for (const { name, connect, revision } of everyClient) {
    describe(`${name} over ${transport}`, () => {
      let place: Place
      let client: AskedClient
      const others: AskedClient[] = []

      beforeAll(async () => {
        place = await open()
        client = await connect(place.target)
      })
      afterAll(async () => {
        await Promise.all([client, ...others].map((one) => one?.close()))
        await place.close()
      })

      test('speaks its revision (V26-05)', () => {
        expect(client.revision).toBe(revision)
      })

      for (const { name, play } of scenarios) {
        test(name, async () => {
          client.asked.length = 0
          client.completed.length = 0
          await play({
            client,
            place,
            revision,
            async connect(elicitation) {
              const other = await connect(place.target, { elicitation })
              others.push(other)
              return other
            },
          })
        })
      }
    })
  }
}

import { describe, expect, test } from 'vitest'
import { createToolGate, type PendingCall } from '../../src/adapters/index.ts'
import { createWeb } from '../../src/web/index.ts'
import { aDeed, aGate, deployTool } from '../support/adapters/gates.ts'
import { audited } from '../support/approval/approving.ts'
import { alice } from '../support/asks.ts'
import { anAssent } from '../support/assents.ts'
import { pathIn, testBrowser } from '../support/test-browser.ts'

const wanted = { tool: deployTool, arguments: { env: 'production' } }
const outcomes = async (assent: Parameters<typeof audited>[0]) =>
  (await audited(assent, 'call-started', 'call-finished')).map(({ kind, data }) => data.outcome ?? kind)

describe('a call that policy asks about', () => {
  test('waits for the person, runs once after their yes, and both ends are audited', async () => {
    const { assent, gate, person } = await aGate()
    const { ran, run } = aDeed()
    const running = gate.run(wanted, run)
    const asked = await person.sees()
    expect(asked.question.message).toContain('deploy')
    expect(ran).toEqual([])
    await person.says({ choice: 'allow_once' })
    expect(await running).toEqual({ kind: 'ran', result: 'done {"env":"production"}' })
    expect(ran).toEqual([{ env: 'production' }])
    expect(await outcomes(assent)).toEqual(['call-started', 'done'])

    // The yes is spent: the same call asks again.
    expect(await gate.run(wanted, run, { hold: 0 })).toMatchObject({ kind: 'pending' })
    expect(ran).toHaveLength(1)
  })

  test('never runs after a no, and the model is told', async () => {
    const { assent, gate, person } = await aGate()
    const { ran, run } = aDeed()
    const running = gate.run(wanted, run)
    await person.says({ choice: 'deny' })
    expect(await running).toMatchObject({ kind: 'deny', status: 'denied', message: expect.stringContaining('Do not') })
    expect(ran).toEqual([])
    expect(await outcomes(assent)).toEqual([])
  })

  test('runs as the person edited it, by what the tool takes', async () => {
    const { gate, person } = await aGate({ rules: [{ decide: 'ask', editable: ['env'] }] })
    const { ran, run } = aDeed()
    const running = gate.run(wanted, run)
    await person.says({ choice: 'allow_once', edit_env: 'staging' })
    expect(await running).toMatchObject({ kind: 'ran' })
    expect(ran).toEqual([{ env: 'staging' }])
  })

  test('is pending with a link if nobody answers; the same call runs after the yes, once', async () => {
    const { gate, person } = await aGate({}, { hold: 0 })
    const { ran, run } = aDeed()
    const pending = await gate.run(wanted, run)
    expect(pending).toMatchObject({ kind: 'pending', message: expect.stringContaining((pending as PendingCall).link) })
    // Called again before the answer, it waits for the same question.
    expect(await gate.run(wanted, run)).toMatchObject({ question: (pending as PendingCall).question })
    const { id } = await person.says({ choice: 'allow_once' })
    expect((pending as PendingCall).link).toContain(id)
    const both = await Promise.all([gate.run(wanted, run), gate.run(wanted, run)])
    expect(both.map(({ kind }) => kind).sort()).toEqual(['pending', 'ran'])
    expect(ran).toHaveLength(1)
  })

  test('is another call with other arguments: their yes does not count for it', async () => {
    const { gate, person } = await aGate({}, { hold: 0 })
    const { ran, run } = aDeed()
    await gate.run(wanted, run)
    await person.says({ choice: 'allow_once' })
    expect(await gate.run({ ...wanted, arguments: { env: 'everything' } }, run)).toMatchObject({ kind: 'pending' })
    expect(ran).toEqual([])
  })

  test('that was pending is denied by a no, for an agent that says which question it waits for', async () => {
    const { gate, person } = await aGate({}, { hold: 0 })
    const { question } = (await gate.decide(wanted)) as PendingCall
    await person.says({ choice: 'deny' })
    expect(await gate.decide(wanted, { question })).toMatchObject({ kind: 'deny' })
    expect(await person.open()).toBe(0)
  })

  test('asked first and run later spends the yes when it runs', async () => {
    const { assent, gate, person } = await aGate()
    const asking = gate.ask(wanted)
    await person.says({ choice: 'allow_once' })
    expect(await asking).toEqual({ kind: 'allow', arguments: { env: 'production' } })
    expect(await outcomes(assent)).toEqual([])
    expect(await gate.run(wanted, () => 'done')).toMatchObject({ kind: 'ran' })
    expect(await gate.ask(wanted, { hold: 0 })).toMatchObject({ kind: 'pending' })
  })

  test('that the agent gave up as its person said yes does not run, and the same call finds the yes', async () => {
    const { assent, gate, person } = await aGate()
    const { ran, run } = aDeed()
    const gone = new AbortController()
    assent.events.listen(({ kind }) => {
      if (kind === 'settled') gone.abort()
    })
    const running = gate.run(wanted, run, { signal: gone.signal })
    await person.says({ choice: 'allow_once' })
    expect(await running).toMatchObject({ kind: 'pending' })
    expect(ran).toEqual([])
    expect(await gate.run(wanted, run)).toMatchObject({ kind: 'ran' })
    expect(ran).toHaveLength(1)
  })

  test('that the agent gave up stays open for its person', async () => {
    const { gate, person } = await aGate()
    const gone = new AbortController()
    const deciding = gate.decide(wanted, { signal: gone.signal })
    await person.sees()
    gone.abort()
    expect(await deciding).toMatchObject({ kind: 'pending' })
    expect(await person.open()).toBe(1)
  })
})

describe('a call that policy decides', () => {
  test('runs or does not, and nobody is asked', async () => {
    const rules = [{ tool: 'read_*', decide: 'allow' as const }]
    const { gate, person, assent } = await aGate({ rules, default: 'deny' })
    const { ran, run } = aDeed()
    expect(await gate.run({ tool: 'read_log', arguments: {} }, run)).toMatchObject({ kind: 'ran' })
    expect(await gate.run(wanted, run)).toMatchObject({ kind: 'deny', reason: 'policy' })
    expect(ran).toEqual([{}])
    await assent.approvals.pause(alice)
    expect(await gate.run({ tool: 'read_log', arguments: {} }, run)).toMatchObject({ kind: 'deny', reason: 'paused' })
    expect(ran).toHaveLength(1)
    expect(await person.open()).toBe(0)
  })

  test('and fails has its end in the audit, once', async () => {
    const { gate, assent } = await aGate({ default: 'allow' })
    const failing = gate.run(wanted, () => {
      throw new Error('no disk')
    })
    await expect(failing).rejects.toThrow('no disk')
    const decision = await gate.decide(wanted)
    if (decision.kind !== 'allow') throw new Error('It is allowed.')
    await decision.ended('done')
    await decision.ended('failed')
    expect(await outcomes(assent)).toEqual(['call-started', 'failed', 'call-started', 'done'])
  })
})

describe('what an agent might try', () => {
  test('what it changes while the person looks does not run', async () => {
    const { gate, person } = await aGate()
    const { ran, run } = aDeed()
    const given = { env: 'staging' }
    const running = gate.run({ tool: deployTool, arguments: given }, run)
    await person.sees()
    given.env = 'production'
    await person.says({ choice: 'allow_once' })
    await running
    expect(ran).toEqual([{ env: 'staging' }])
  })

  test.each([
    ['a date', { at: new Date(0) }],
    ['a number that is none', { at: Number.NaN }],
    ['a list', ['production']],
    ['half a character', { env: '\ud800' }],
  ])('arguments that nobody can be shown, such as %s, are refused unasked', async (_, given) => {
    const { gate, person } = await aGate({ default: 'allow' })
    expect(await gate.decide({ tool: 'deploy', arguments: given })).toMatchObject({ kind: 'deny', reason: 'arguments' })
    expect(await person.open()).toBe(0)
  })

  test('it follows its link by itself: the page takes no answer from a browser that is not enrolled', async () => {
    const { assent, gate, person } = await aGate({}, { hold: 0 })
    const { link } = (await gate.decide(wanted)) as PendingCall
    const web = createWeb(assent)
    const agent = testBrowser({ web })
    expect((await agent.get(pathIn(link))).text).not.toContain('allow_once')
    const posted = await agent.post(pathIn(link), { answer: 'accept', 'field.choice': 'allow_once' })
    expect(posted.status).toBeGreaterThanOrEqual(400)
    expect(await person.open()).toBe(1)
    expect(await gate.decide(wanted)).toMatchObject({ kind: 'pending' })
  })

  test('its own arguments are no answer', async () => {
    const { gate, person } = await aGate({}, { hold: 0 })
    const answering = { choice: 'allow_once', action: 'accept', approved: true }
    expect(await gate.decide({ tool: 'deploy', arguments: answering })).toMatchObject({ kind: 'pending' })
    expect(await person.open()).toBe(1)
  })
})

test('a gate of an installation with a login must be told for whom its agent acts', async () => {
  const auth = { issuer: 'https://login.example.com', audience: 'assent', jwksUri: 'https://login.example.com/jwks' }
  const assent = await anAssent({ auth })
  expect(() => createToolGate(assent, { server: 'agent' })).toThrow('for whom')
  const gate = createToolGate(assent, { server: 'agent', requester: { participant: alice, client: 'agent' }, hold: 0 })
  expect(await gate.decide(wanted)).toMatchObject({ kind: 'pending' })
  expect(await assent.listOpen({ participant: alice, groups: [] }, 10)).toHaveLength(1)
})

describe('a question of a server', () => {
  const requestedSchema = { type: 'object', properties: { ticket: { type: 'string' } }, required: ['ticket'] }

  test('is put to the person with the name of the server, and their answer goes back', async () => {
    const { gate, person } = await aGate()
    const asking = gate.elicit({ serverName: 'tickets', message: 'Which ticket?', requestedSchema })
    const { question } = await person.says({ ticket: 'T-1' })
    expect(question.message).toBe('[tickets] Which ticket?')
    expect(await asking).toEqual({ action: 'accept', content: { ticket: 'T-1' } })

    const again = gate.elicit({ message: 'Which ticket?', requestedSchema })
    await person.says({ action: 'decline' })
    expect(await again).toEqual({ action: 'decline' })
  })

  test('for a page shows its whole address, and accept means that it was opened', async () => {
    const { gate, person } = await aGate()
    const url = 'https://tickets.example.com/login?x=1'
    const asking = gate.elicit({ message: 'Log in', mode: 'url', url })
    const { question, metadata } = await person.says({ action: 'accept' })
    expect(question.message).toContain(url)
    expect(metadata).toMatchObject({ link: url })
    expect(await asking).toEqual({ action: 'accept' })
  })

  test('that nobody answers is cancelled and taken back', async () => {
    const { gate, person } = await aGate()
    expect(await gate.elicit({ message: 'Which ticket?', requestedSchema }, { hold: 0 })).toEqual({ action: 'cancel' })
    expect(await person.open()).toBe(0)
  })

  test.each([
    ['a secret', { requestedSchema: { type: 'object', properties: { password: { type: 'string' } } } }],
    ['a page that is not safe', { mode: 'url', url: 'javascript:alert(1)' }],
    ['a page without an address', { mode: 'url' }],
    ['something unknown', { mode: 'telepathy' }],
  ])('for %s is not asked', async (_, question) => {
    const { gate, person } = await aGate()
    await expect(gate.elicit({ message: 'Please', ...question })).rejects.toThrow()
    expect(await person.open()).toBe(0)
  })
})

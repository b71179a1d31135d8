import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAssent } from '../../src/index.ts'
import { localParticipant, type ParticipantId } from '../../src/participant/participant.ts'
import { buildPackage } from '../support/build.ts'
import { assent } from '../support/cli/cli.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

const alice = 'alice@https://login.example.com' as ParticipantId

/** An installation at which the local participant and alice each gave a key. */
async function connected(more = ''): Promise<string> {
  const folder = await temporaryFolder()
  const file = join(folder, 'assent.yaml')
  const providers = { stripe: { apiKey: true as const, fieldLabel: 'Stripe API key' } }
  await writeFile(file, `version: 1\nproviders: ${JSON.stringify(providers)}\n${more}`)
  const one = await createAssent({ store: `sqlite:${folder}/.assent/assent.db`, keys: '', providers })
  for (const participant of [localParticipant, alice]) {
    await one.connections.keepKey({ provider: 'stripe', person: { participant, groups: [] } }, 'sk_hunter2')
  }
  await one.close()
  return file
}

describe('assent connections', () => {
  test('lists accounts without their secrets, and disconnects one', async () => {
    const file = await connected()
    const run = (...args: string[]) => assent(['--config', file, 'connections', ...args])
    const { out } = await run()
    expect(out).toMatch(/^PROVIDER +ACCOUNT +STATE +SCOPES +CONNECTED\nstripe +good +\d{4}-\d\d-\d\d \d\d:\d\d UTC\n$/)
    const json = (await run('list', '--json')).out
    expect(JSON.parse(json)).toMatchObject([{ provider: 'stripe', standing: 'good' }])
    expect(out + json).not.toContain('hunter2')

    expect(await run('disconnect', 'stripe')).toMatchObject({
      code: 0,
      out: expect.stringContaining('The account at stripe is no longer connected.'),
    })
    expect(await run('disconnect', 'stripe')).toMatchObject({
      code: 1,
      err: 'No account at stripe is connected. See: assent connections\n',
    })
    expect((await run()).out).toBe('No account is connected.\n')
    expect(JSON.parse((await run('list', '--json', '--participant', alice)).out)).toHaveLength(1)
  })

  test('where people sign in, asks whose', async () => {
    const file = await connected('auth: { issuer: "https://login.example.com", audience: a }\n')
    const run = (...args: string[]) => assent(['--config', file, 'connections', ...args])
    expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining('--participant') })
    expect(await run('list', '--participant', 'who?')).toMatchObject({ code: 2 })
    expect((await run('list', '--participant', alice)).out).toContain('stripe')
  })

  test('shows how, with examples', async () => {
    expect((await assent(['connections', '--help'])).out).toContain('disconnect')
    expect((await assent(['connections', 'list', '--help'])).out).toContain('Examples')
  })
})

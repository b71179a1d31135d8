import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { createAssent } from '../../src/index.ts'
import { localParticipant, type ParticipantId } from '../../src/participant/participant.ts'
import { aCall } from '../support/approval/a-call.ts'
import { asks } from '../support/approval/approving.ts'
import { buildPackage } from '../support/build.ts'
import { assent } from '../support/cli/cli.ts'
import { passkeyUrl, register } from '../support/passkey/people.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage)

const alice = 'alice@https://login.example.com' as ParticipantId

/** An installation where two people have a passkey, and a call waits that must be signed. */
async function installed() {
  const folder = await temporaryFolder()
  const file = join(folder, 'assent.yaml')
  const rules = [{ decide: 'ask', answer: 'passkey' } as const]
  await writeFile(file, `version: 1\npublicUrl: ${passkeyUrl}\npolicy: { rules: ${JSON.stringify(rules)} }\n`)
  const one = await createAssent({
    store: `sqlite:${folder}/.assent/assent.db`,
    keys: '',
    publicUrl: passkeyUrl,
    policy: { rules },
  })
  const { passkey } = await register(one, localParticipant, { name: 'Lap\u202etop' })
  await register(one, alice)
  const { id } = await asks(one, aCall({ requester: { participant: localParticipant, client: 'local' } }))
  await one.close()
  return { run: (...args: string[]) => assent(['--config', file, ...args]), passkey, id }
}

test('passkeys are listed without their keys, and revoked; the last one of a person is said', async () => {
  const { run, passkey } = await installed()
  const { out } = await run('passkeys')
  expect(out).toMatch(/^ID +PARTICIPANT +NAME +KIND +ADDED +LAST USED\n/)
  expect(out).toContain(passkey.id)
  expect(out).toContain('alice@https://login.example.com')
  expect(out).not.toContain('\u202e')
  const json = (await run('passkeys', 'list', '--json')).out
  expect(JSON.parse(json)).toMatchObject([{ id: passkey.id, kind: 'device' }, { participant: alice }])
  expect(json).not.toContain(passkey.publicKey)
  expect(JSON.parse((await run('passkeys', 'list', '--participant', alice, '--json')).out)).toHaveLength(1)

  const revoked = await run('passkeys', 'revoke', passkey.id)
  expect(revoked).toMatchObject({ code: 0, out: expect.stringContaining('It was their last one') })
  expect(await run('passkeys', 'revoke', passkey.id)).toMatchObject({
    code: 1,
    err: 'No passkey has this id. See: assent passkeys\n',
  })
})

test('the list of what waits says that a yes must be signed', async () => {
  const { run, id } = await installed()
  const shown = (await run('inbox')).out.replace(/\s+/g, ' ')
  expect(shown).toContain('A yes must be signed with a passkey, on the page. Here you can only deny it.')
  const listed = JSON.parse((await run('inbox', '--json')).out)
  expect(listed).toMatchObject([{ id }])
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/cli/config/read.ts'
import { optionsFrom } from '../../src/cli/with-assent.ts'
import { createAssent } from '../../src/index.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { oauthClient, startOAuthServer } from '../support/oauth/oauth-server.ts'
import { temporaryFolder } from '../support/temporary.ts'

const person = { participant: localParticipant, groups: [] }
const browser = 'the-browser'

/** An installation with these settings and a provider that sends people back to this address only. */
async function anInstallation(settings: string, redirectUri: string) {
  const server = await startOAuthServer({ redirectUris: [redirectUri] })
  const notes = { issuer: server.issuer, ...oauthClient, scopes: ['notes.read'] }
  const file = join(await temporaryFolder(), 'assent.yaml')
  await writeFile(file, `version: 1\nstore: "memory:"\n${settings}\nproviders: ${JSON.stringify({ notes })}\n`)
  const config = await readConfig({ config: file }, {})
  const assent = await createAssent({ ...(await optionsFrom(config)), clocks: { tidy: 0 } })
  onTestFinished(() => assent.close())
  return { assent, server, publicUrl: config.publicUrl }
}

test.each([
  ['callbackUrl', 'callbackUrl: https://gate.example.com/back', 'https://gate.example.com/back'],
  ['the pages at publicUrl', 'publicUrl: http://localhost:7000/', 'http://localhost:7000/oauth/callback'],
  ['the pages at listen', 'listen: 127.0.0.1:5000', 'http://127.0.0.1:5000/oauth/callback'],
])('a provider sends people back to %s, and the code that they bring is taken', async (_, settings, redirectUri) => {
  const { assent, server, publicUrl } = await anInstallation(settings, redirectUri)
  const begun = await assent.connections.begin({ provider: 'notes', person, browser })
  if (begun.kind !== 'begun') throw new Error(begun.kind)
  expect(new URL(begun.url).searchParams.get('redirect_uri')).toBe(redirectUri)

  const back = await server.visit(begun.url, { account: 'ada' })
  expect(`${back.origin}${back.pathname}`).toBe(redirectUri)
  // Whatever serves that address passes people on to the pages. The provider compares the address that the code was given
  // for with the one that it is redeemed for, so both must be the one that it knows.
  const callback = new URL(`/oauth/callback${back.search}`, publicUrl)
  expect(await assent.connections.complete({ person, browser, callback })).toMatchObject({ kind: 'connected' })
})

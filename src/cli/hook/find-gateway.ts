import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { dirname } from 'node:path'
import { milliseconds } from '../../base/durations.ts'
import type { HookClient } from '../../hooks/contracts.ts'
import { defaults } from '../config/defaults.ts'
import { readDocument } from '../config/document.ts'
import type { Problem } from '../config/problems.ts'
import { readHostAndPort } from '../config/read/addresses.ts'
import { type Environment, filledIn } from '../config/read/environment.ts'
import { Setting } from '../config/read/setting.ts'
import { storeFrom } from '../config/read/store-address.ts'
import type { Given } from '../config/read.ts'
import { stateStore } from '../run/state-folder.ts'
import { readHookToken } from './hook-token.ts'
import { answerProof, isSameSecret, nonceHeader, proofHeader, requestProof, signedScheme } from './signed-hook.ts'

/** A gateway that may run, and the token by which it and this process know each other. */
export interface FoundGateway {
  readonly host: string
  readonly port: number
  readonly token: string
  /** How long it holds a call, in milliseconds. */
  readonly holdMs: number
}

/**
 * Where the gateway of these settings listens. Only three settings are read, for a hook is called before every tool.
 * Undefined: there is none, or the settings cannot be read, which whoever reads them all will say.
 */
export async function findGateway(given: Given, env: Environment = process.env): Promise<FoundGateway | undefined> {
  try {
    const raw = given.config === undefined ? {} : (await readDocument(given.config)).value
    const problems: Problem[] = []
    const fill = (name: string) => filledIn(raw[name], { path: [name], env, problems })
    const [store, listen, hooks] = [fill('store'), fill('listen'), fill('hooks')]
    const reading = { raw, problems }
    const address = readHostAndPort(new Setting(listen, ['listen'], reading), defaults.listen)
    const settings = new Setting(hooks, ['hooks'], reading)
    const token = settings.in('token').text()
    const holdMs = settings.in('hold').duration() ?? milliseconds(defaults.hooks.hold)
    if (problems.length > 0 || address === undefined || address.port === 0) return undefined
    const written = typeof store === 'string' ? store : defaults.store
    const kept = given.config === undefined ? stateStore() : storeFrom(written, dirname(given.config))
    const found = await readHookToken({ token, store: given.store ?? kept })
    return found === undefined ? undefined : { ...address, host: nearHost(address.host), token: found, holdMs }
  } catch {
    return undefined
  }
}

/** A gateway that listens everywhere is also on this machine. */
function nearHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '[::]' ? '::1' : host.replace(/^\[|\]$/g, '')
}

/** A gateway that answers later than this after its time does not answer any more. */
const graceMs = 10_000

/** What the gateway answers. Undefined: it does not run, broke off, or is somebody else who has no token. */
export function askGateway(
  { host, port, token, holdMs }: FoundGateway,
  client: HookClient,
  body: string,
): Promise<string | undefined> {
  const nonce = randomBytes(16).toString('base64url')
  const headers = {
    'content-type': 'application/json',
    [nonceHeader]: nonce,
    authorization: `${signedScheme} ${requestProof(token, nonce, body)}`,
  }
  return new Promise((resolve) => {
    const asked = request({ host, port, path: `/hooks/${client}`, method: 'POST', headers, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', () => resolve(undefined))
      answer.on('close', () => resolve(undefined))
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const proof = answer.headers[proofHeader]
        const isTrue = typeof proof === 'string' && isSameSecret(proof, answerProof(token, nonce, text))
        resolve(answer.statusCode === 200 && isTrue ? text : undefined)
      })
    })
    const impatient = setTimeout(() => asked.destroy(), holdMs + graceMs)
    asked.on('error', () => resolve(undefined))
    asked.on('close', () => {
      clearTimeout(impatient)
      resolve(undefined)
    })
    asked.end(body)
  })
}

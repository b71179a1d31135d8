import { BadArgument } from '../base/errors.ts'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** An address of the login: https, or http on this machine. Anything else could be read or changed on the way. */
export function loginAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.has(url.hostname))) return url
  throw new BadArgument(`"${address}" must be an https address, or http on this machine.`)
}

/** Fetches JSON from the login: soon, without following it elsewhere, and only a 200 counts. */
export async function fetchJson(url: URL): Promise<unknown> {
  const response = await fetch(url, {
    headers: { Accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(5_000),
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`${url.href} answered ${response.status}`)
  }
  return response.json()
}

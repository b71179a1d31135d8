export interface Visitor {
  account: string
  /** What they say on the consent page. Default: true. */
  allow?: boolean
  /** The scopes they leave ticked. Default: all. */
  scopes?: readonly string[]
}

const mostSteps = 12

/**
 * Goes from the address that somebody is sent to through the pages of the OAuth server, as a browser would, and gives
 * back the address that the server sends them to in the end, which is not visited.
 */
export async function visitPages(url: string, { account, allow = true, scopes }: Visitor): Promise<URL> {
  const home = new URL(url).origin
  const cookies = new Map<string, string>()
  let next: { url: URL; form?: URLSearchParams } = { url: new URL(url) }

  for (let step = 0; step < mostSteps; step++) {
    if (next.url.origin !== home) return next.url
    const response = await fetch(next.url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(next.form && { method: 'POST', body: next.form }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const text = await response.text()
    const location = response.headers.get('location')
    if (location !== null) next = { url: new URL(location, next.url) }
    else next = { url: new URL(actionOf(text, next.url), next.url), form: answerTo(text) }
  }
  throw new Error(`Still on the way after ${mostSteps} steps, at ${next.url}`)

  function answerTo(text: string): URLSearchParams {
    if (text.includes('name="account"')) return new URLSearchParams({ account })
    const asked = [...text.matchAll(/name="scope" value="([^"]*)"/g)].map(([, scope = '']) => scope)
    const ticked = asked.filter((scope) => scopes?.includes(scope) ?? true)
    const form = new URLSearchParams({ answer: allow ? 'allow' : 'deny' })
    for (const scope of ticked) form.append('scope', scope)
    return form
  }
}

function actionOf(text: string, url: URL): string {
  const [, action] = /<form method="post" action="([^"]+)"/.exec(text) ?? []
  if (action === undefined) throw new Error(`${url.href} is no page to answer: ${text.slice(0, 500)}`)
  return action
}

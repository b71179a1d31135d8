import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Interaction, Provider } from 'oidc-provider'
import { consentPage, loginPage } from './pages.ts'

/** Shows the login and consent pages, and takes what people say there. */
export async function serveInteraction(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  const interaction = await provider.interactionDetails(request, response)
  if (request.method !== 'POST') {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(pageOf(interaction))
    return
  }
  const form = await formIn(request)
  const result =
    interaction.prompt.name === 'login'
      ? { login: { accountId: form.get('account') ?? '' } }
      : await consentIn(provider, interaction, form)
  await provider.interactionFinished(request, response, result)
}

function pageOf({ uid, prompt, params, session }: Interaction): string {
  const client = params.client_id ?? ''
  if (prompt.name === 'login') return loginPage(uid, client)
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details
  const scopes = new Set([...missingOIDCScope, ...Object.values(missingResourceScopes).flat()])
  return consentPage(uid, client, session?.accountId ?? '', [...scopes])
}

async function consentIn(provider: Provider, interaction: Interaction, form: URLSearchParams) {
  if (form.get('answer') !== 'allow') return { error: 'access_denied', error_description: 'The person said no.' }
  const { prompt, params, session, grantId } = interaction
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant = known ?? new provider.Grant({ accountId: session?.accountId ?? '', clientId: params.client_id ?? '' })

  const allowed = new Set(form.getAll('scope'))
  const { missingOIDCScope = [], missingOIDCClaims = [], missingResourceScopes = {} } = prompt.details
  for (const scope of missingOIDCScope) {
    if (allowed.has(scope)) grant.addOIDCScope(scope)
    else grant.rejectOIDCScope(scope)
  }
  if (missingOIDCClaims.length > 0) grant.addOIDCClaims(missingOIDCClaims)
  for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
    for (const scope of scopes) {
      if (allowed.has(scope)) grant.addResourceScope(resource, scope)
      else grant.rejectResourceScope(resource, scope)
    }
  }
  return { consent: { grantId: await grant.save() } }
}

async function formIn(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

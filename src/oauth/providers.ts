import type { Clock } from '../base/clock.ts'
import type { Provider } from '../connection/provider.ts'
import { checkProviderName } from '../elicitation/asking/provider-name.ts'
import { type ConsentSettings, oauthConsent } from './consent.ts'
import { discoveredProvider } from './discovery/discovered-provider.ts'
import type { Introduction } from './discovery/discovery-settings.ts'
import type { ClientAuthentication, ServerAddress } from './remote-server.ts'
import { type PresetName, presets } from './settings/presets.ts'
import { type ProviderSettings, providerSettingNames } from './settings/provider-settings.ts'
import { type SettingsReader, settingsReader } from './settings/read-settings.ts'

export type { PresetProviderSettings, ProviderSettings } from './settings/provider-settings.ts'

interface ProviderParts {
  readonly clock: Clock
  /** How long a provider may take to answer one request. Default: 5 s. */
  readonly timeoutMs?: number
  /** What servers that are found by discovery are told of this installation. Without it none can be used. */
  readonly introduction?: Introduction
}

type GivenConsent = ConsentSettings & { readonly server: GivenServer }
type GivenServer = Exclude<ServerAddress, { discovered: unknown }>

const endpointSettings = ['authorizationEndpoint', 'tokenEndpoint', 'revocationEndpoint', 'userinfoEndpoint']
const ourParams = [
  'audience',
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'request',
  'request_uri',
  'resource',
  'response_mode',
  'response_type',
  'scope',
  'state',
]
const authentications: readonly ClientAuthentication[] = ['client_secret_basic', 'client_secret_post', 'none']

/** The providers in the settings, by name. Throws `BadConfig`, with the path of the setting, for one that cannot be used. */
export function providersFrom(
  settings: Readonly<Record<string, ProviderSettings>>,
  parts: ProviderParts,
): Map<string, Provider> {
  return new Map(
    Object.entries(settings).map(([name, one]) => {
      checkProviderName(name)
      return [name, providerFrom(name, settingsReader(name, one), parts)]
    }),
  )
}

function providerFrom(name: string, reader: SettingsReader, parts: ProviderParts): Provider {
  const env = reader.text('env')
  if (env !== undefined && !/^[A-Za-z_]\w*$/.test(env)) {
    throw reader.refuse(`"env" of the provider "${name}" must be the name of a variable, such as NOTES_TOKEN.`, 'env')
  }
  const header = reader.text('header') ?? 'Authorization'
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(header)) {
    throw reader.refuse(`"header" of the provider "${name}" must be the name of an HTTP header.`, 'header')
  }
  const sending = { header, ...(env !== undefined && { env }) }

  if (reader.isSet('apiKey')) return keyProvider(name, reader, sending)
  if (reader.has('discover')) return foundProvider(name, reader, sending, parts)
  const consenting = reader.has('preset') ? presetConsent(name, reader) : serverConsent(name, reader)
  return {
    name,
    title: consenting.title,
    host: hostOf(consenting.server),
    scopes: reader.scopes(),
    sending,
    by: { kind: 'consent', consent: oauthConsent(consenting, parts) },
  }
}

function foundProvider(
  name: string,
  reader: SettingsReader,
  sending: Provider['sending'],
  { introduction, ...parts }: ProviderParts,
): Provider {
  reader.noneBut(providerSettingNames.discovered)
  const server = new URL(reader.address('discover') as string)
  const title = reader.text('title') ?? titleOf(name)
  return discoveredProvider({ name, title, server, scopes: reader.scopes() }, sending, introduction, parts)
}

function keyProvider(name: string, reader: SettingsReader, sending: Provider['sending']): Provider {
  reader.noneBut(providerSettingNames.key)
  const placeholder = reader.text('placeholder')
  const description = reader.text('description')
  return {
    name,
    title: reader.text('title') ?? titleOf(name),
    scopes: [],
    sending,
    by: {
      kind: 'key',
      fieldLabel: reader.text('fieldLabel') ?? 'API key',
      ...(placeholder !== undefined && { placeholder }),
      ...(description !== undefined && { description }),
    },
  }
}

function presetConsent(name: string, reader: SettingsReader): GivenConsent {
  reader.noneBut(providerSettingNames.preset)
  const preset = presets[reader.oneOf('preset', Object.keys(presets) as PresetName[]) as PresetName]
  const url = (reader.address('url') ?? preset.url)?.replace(/\/+$/, '')
  if (url === undefined)
    throw reader.refuse(`The provider "${name}" has no "url". Write the address of your ${preset.title}.`)
  const clientId = reader.required('clientId', `${preset.title} gives it when you register an application there.`)
  return {
    title: reader.text('title') ?? preset.title,
    clientId,
    clientSecret: reader.required('clientSecret', `${preset.title} gives it when you register an application there.`),
    clientAuthentication: preset.clientAuthentication,
    server: preset.serverAt(url),
    ...(preset.extraParams !== undefined && { extraParams: preset.extraParams }),
    quirks: preset.quirksAt(url, clientId),
  }
}

function serverConsent(name: string, reader: SettingsReader): GivenConsent {
  reader.noneBut(providerSettingNames.oauth)
  const clientSecret = reader.text('clientSecret')
  const clientAuthentication = reader.oneOf('clientAuthentication', authentications)
  if (clientSecret === undefined && clientAuthentication?.startsWith('client_secret')) {
    throw reader.refuse(
      `The provider "${name}" has no "clientSecret", which "${clientAuthentication}" needs. Add one.`,
      'clientAuthentication',
    )
  }
  const audience = reader.text('audience')
  const resource = reader.text('resource')
  const extraParams = reader.params('extraParams', ourParams)
  return {
    title: reader.text('title') ?? titleOf(name),
    server: serverIn(name, reader),
    clientId: reader.required('clientId', 'The provider gives it when you register an application there.'),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(clientAuthentication !== undefined && { clientAuthentication }),
    ...(audience !== undefined && { audience }),
    ...(resource !== undefined && { resource }),
    ...(extraParams !== undefined && { extraParams }),
  }
}

function serverIn(name: string, reader: SettingsReader): GivenServer {
  const issuer = reader.address('issuer')
  if (!endpointSettings.some((key) => reader.has(key))) {
    if (issuer !== undefined) return { issuer }
    throw reader.refuse(
      `The provider "${name}" needs an "issuer", or "authorizationEndpoint" and "tokenEndpoint", or a "preset", or "discover", or "apiKey: true".`,
    )
  }
  const [authorizationEndpoint, tokenEndpoint, revocationEndpoint, userinfoEndpoint] = endpointSettings.map((key) =>
    reader.address(key),
  )
  if (authorizationEndpoint === undefined || tokenEndpoint === undefined) {
    throw reader.refuse(`The provider "${name}" needs both "authorizationEndpoint" and "tokenEndpoint".`)
  }
  return {
    authorizationEndpoint,
    tokenEndpoint,
    ...(issuer !== undefined && { issuer }),
    ...(revocationEndpoint !== undefined && { revocationEndpoint }),
    ...(userinfoEndpoint !== undefined && { userinfoEndpoint }),
  }
}

const hostOf = (server: GivenServer) =>
  new URL('authorizationEndpoint' in server ? server.authorizationEndpoint : server.issuer).host

const titleOf = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

import type { ClientAuthentication, ServerAddress } from '../remote-server.ts'
import type { Quirks } from './quirks.ts'

/** A well-known provider, with everything that is special about it. */
export interface Preset {
  readonly title: string
  /** Its address, unless the settings give another. Absent where every installation has its own. */
  readonly url?: string
  readonly clientAuthentication: ClientAuthentication
  /** Its endpoints. `url` has no trailing slash. */
  serverAt(url: string): ServerAddress
  quirksAt(url: string, clientId: string): Quirks
}

export type PresetName = 'github' | 'nextcloud'

const githubCloud = 'https://github.com'

/** GitHub lists only the widest of the granted scopes. These are the scopes that each includes. */
const githubImpliedScopes = {
  repo: ['repo:status', 'repo_deployment', 'public_repo', 'repo:invite', 'security_events'],
  user: ['read:user', 'user:email', 'user:follow'],
  project: ['read:project'],
  'admin:org': ['write:org', 'read:org', 'manage_runners:org'],
  'write:org': ['read:org'],
  'admin:public_key': ['write:public_key', 'read:public_key'],
  'write:public_key': ['read:public_key'],
  'admin:gpg_key': ['write:gpg_key', 'read:gpg_key'],
  'write:gpg_key': ['read:gpg_key'],
  'admin:repo_hook': ['write:repo_hook', 'read:repo_hook'],
  'write:repo_hook': ['read:repo_hook'],
  'write:packages': ['read:packages'],
  'write:discussion': ['read:discussion'],
  'admin:enterprise': ['manage_runners:enterprise', 'manage_billing:enterprise', 'read:enterprise'],
  audit_log: ['read:audit_log'],
}

/** GitHub Enterprise Server has its API below its own address. */
const githubApi = (url: string) => (url === githubCloud ? 'https://api.github.com' : `${url}/api/v3`)

export const presets: Readonly<Record<PresetName, Preset>> = {
  github: {
    title: 'GitHub',
    url: githubCloud,
    clientAuthentication: 'client_secret_post',
    serverAt: (url) => ({
      authorizationEndpoint: `${url}/login/oauth/authorize`,
      tokenEndpoint: `${url}/login/oauth/access_token`,
    }),
    quirksAt: (url, clientId) => ({
      scopes: 'comma',
      impliedScopes: githubImpliedScopes,
      account: { at: 'url', url: `${githubApi(url)}/user`, field: 'login' },
      revocation: {
        by: 'delete-grant',
        url: `${githubApi(url)}/applications/${encodeURIComponent(clientId)}/grant`,
      },
    }),
  },
  nextcloud: {
    title: 'Nextcloud',
    clientAuthentication: 'client_secret_post',
    serverAt: (url) => ({
      authorizationEndpoint: `${url}/index.php/apps/oauth2/authorize`,
      tokenEndpoint: `${url}/index.php/apps/oauth2/api/v1/token`,
    }),
    quirksAt: () => ({ scopes: 'unsaid', account: { at: 'token-response', field: 'user_id' } }),
  },
}

import type { ClientAuthentication, ServerAddress } from '../remote-server.ts'
import type { Quirks } from './quirks.ts'

/** A provider that is known by name, with all in which it differs from others. */
export interface Preset {
  readonly title: string
  /** Where it is unless settings say otherwise; absent where everybody has their own. */
  readonly url?: string
  readonly clientAuthentication: ClientAuthentication
  /** Its parts, below the address where it is and without a slash at its end. */
  serverAt(url: string): ServerAddress
  quirksAt(url: string, clientId: string): Quirks
}

export type PresetName = 'github' | 'nextcloud'

const githubCloud = 'https://github.com'

/** GitHub names only the widest of the scopes that were granted. */
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

/** A server of one's own serves the API below itself. */
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

import type { ClientAuthentication, ServerAddress } from '../remote-server.ts'
import type { Quirks } from './quirks.ts'

/** A well-known provider, with everything that is special about it. */
export interface Preset {
  readonly title: string
  /** Its address, unless the settings give another. Absent where every installation has its own. */
  readonly url?: string
  readonly clientAuthentication: ClientAuthentication
  /** The parameters of its authorization url without which it gives no refresh token, or no tokens for a person. */
  readonly extraParams?: Readonly<Record<string, string>>
  /** Its endpoints. `url` has no trailing slash. */
  serverAt(url: string): Exclude<ServerAddress, { discovered: unknown }>
  quirksAt(url: string, clientId: string): Quirks
}

export type PresetName = 'github' | 'nextcloud' | 'google' | 'microsoft' | 'slack' | 'linear' | 'notion' | 'atlassian'

const githubCloud = 'https://github.com'
const googleCloud = 'https://accounts.google.com'
const linearCloud = 'https://linear.app'

/** Google lists these two scopes under other names than they are asked for. */
const googleRenamedScopes = {
  'https://www.googleapis.com/auth/userinfo.email': ['email'],
  'https://www.googleapis.com/auth/userinfo.profile': ['profile'],
}

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
  google: {
    title: 'Google',
    url: googleCloud,
    clientAuthentication: 'client_secret_post',
    // Without `prompt`, a person who consented before gets no refresh token.
    extraParams: { access_type: 'offline', prompt: 'consent' },
    serverAt: (url) => ({
      issuer: url,
      authorizationEndpoint: `${url}/o/oauth2/v2/auth`,
      tokenEndpoint: url === googleCloud ? 'https://oauth2.googleapis.com/token' : `${url}/token`,
      revocationEndpoint: url === googleCloud ? 'https://oauth2.googleapis.com/revoke' : `${url}/revoke`,
    }),
    quirksAt: () => ({ impliedScopes: googleRenamedScopes }),
  },
  microsoft: {
    title: 'Microsoft',
    url: 'https://login.microsoftonline.com/common',
    clientAuthentication: 'client_secret_post',
    // No issuer: each organization has its own, and `common` stands for all of them.
    serverAt: (url) => ({
      authorizationEndpoint: `${url}/oauth2/v2.0/authorize`,
      tokenEndpoint: `${url}/oauth2/v2.0/token`,
    }),
    quirksAt: () => ({ scopePrefix: 'https://graph.microsoft.com/' }),
  },
  slack: {
    title: 'Slack',
    url: 'https://slack.com',
    clientAuthentication: 'client_secret_post',
    serverAt: (url) => ({
      authorizationEndpoint: `${url}/oauth/v2_user/authorize`,
      tokenEndpoint: `${url}/api/oauth.v2.user.access`,
    }),
    quirksAt: (url) => ({
      scopes: 'comma',
      personalTokens: { at: 'authed_user', type: 'user' },
      account: { at: 'url', url: `${url}/api/auth.test`, field: 'user' },
    }),
  },
  linear: {
    title: 'Linear',
    url: linearCloud,
    clientAuthentication: 'client_secret_post',
    serverAt: (url) => {
      const api = url === linearCloud ? 'https://api.linear.app' : url
      return {
        authorizationEndpoint: `${url}/oauth/authorize`,
        tokenEndpoint: `${api}/oauth/token`,
        revocationEndpoint: `${api}/oauth/revoke`,
      }
    },
    quirksAt: () => ({ scopes: 'comma', askedScopes: 'comma' }),
  },
  notion: {
    title: 'Notion',
    url: 'https://api.notion.com',
    clientAuthentication: 'client_secret_basic',
    extraParams: { owner: 'user' },
    serverAt: (url) => ({
      authorizationEndpoint: `${url}/v1/oauth/authorize`,
      tokenEndpoint: `${url}/v1/oauth/token`,
    }),
    quirksAt: () => ({ scopes: 'unsaid', account: { at: 'token-response', field: 'workspace_name' } }),
  },
  atlassian: {
    title: 'Atlassian',
    url: 'https://auth.atlassian.com',
    clientAuthentication: 'client_secret_post',
    extraParams: { audience: 'api.atlassian.com', prompt: 'consent' },
    serverAt: (url) => ({ authorizationEndpoint: `${url}/authorize`, tokenEndpoint: `${url}/oauth/token` }),
    quirksAt: () => ({}),
  },
}

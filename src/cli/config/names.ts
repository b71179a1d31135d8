/** What the config files of other MCP clients hold for their own use. Accepted in a server, and ignored. */
export const ignoredInServers = [
  'alwaysAllow',
  'autoApprove',
  'description',
  'disabledTools',
  'gallery',
  'icon',
  'name',
  'timeout',
  'title',
  'version',
] as const

/**
 * The settings that each section of the file may hold; all others are refused. `defaults` names those of `clocks`,
 * `limits` and `retain`; `approval/` and `oauth/` check policies and providers. docs/configuration.md explains every
 * setting, and a test compares the two.
 */
export const settingNames = {
  file: [
    'version',
    'listen',
    'publicUrl',
    'store',
    'auth',
    'callbackUrl',
    'servers',
    'mcpServers',
    'providers',
    'policy',
    'clocks',
    'limits',
    'elicitation',
    'channels',
    'retain',
    'metrics',
    'pages',
  ],
  auth: ['issuer', 'audience', 'clientId', 'clientSecret', 'jwksUri', 'groupsClaim', 'proxy'],
  proxy: ['header', 'from', 'groupsHeader'],
  server: [
    'command',
    'args',
    'env',
    'cwd',
    'url',
    'headers',
    'provider',
    'trusted',
    'disabled',
    'enabled',
    'type',
    'transport',
    'serverUrl',
    'httpUrl',
  ],
  elicitation: ['enabled'],
  channel: ['webhook'],
  webhook: ['url', 'secret', 'name', 'allowPrivate'],
  metrics: ['listen', 'allow'],
  pages: ['primaryColor', 'title', 'prefix', 'names'],
} as const

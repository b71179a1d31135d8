import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defaults } from '../../src/cli/config/defaults.ts'
import { settingNames } from '../../src/cli/config/names.ts'
import { codes } from '../../src/mcp/codes.ts'

const folder = 'docs/coming-from'

/** Every option, variable, code, status, endpoint and default that each design names in its tables and code. */
const named: Readonly<Record<string, readonly string[]>> = {
  nextcloud: [
    ...['@require_provisioning', '@require_scopes', 'get_client', 'ElicitationRequired', 'nc_notes_list_notes'],
    ...['provision_nextcloud_access', 'check_provisioning_status', 'revoke_nextcloud_access'],
    ...['request_nextcloud_access', 'authorization_url', 'success', 'message'],
    ...['elicitations[]', 'mode', 'elicitationId', 'elicitation_id', 'url', 'progressToken'],
    ...['elicitation/track', '/oauth/provision', '/oauth/callback', 'RefreshTokenStorage', 'validate_elicitation_id'],
    ...['store_elicitation', 'get_elicitation', 'update_elicitation', 'capabilities'],
    ...['pending', 'complete', 'failed', '-32000', '-32602', '300', '2 seconds', '50'],
    ...['ELICITATION_CALLBACK_URL', 'ELICITATION_TIMEOUT_SECONDS', 'NEXTCLOUD_MCP_SERVER_URL'],
    ...['ENABLE_PROGRESSIVE_CONSENT', 'MCP_SERVER_CLIENT_ID', 'OIDC_CLIENT_ID'],
    ...['v0.26.0', 'v0.27.0', 'v0.28.0', 'v0.29.0'],
  ],
  'mcp-nest': [
    ...['McpModule', 'McpElicitationModule', 'forRoot', 'serverUrl', 'apiPrefix', "'elicit'"],
    ...['elicitationTtlMs', '600000', 'cleanupIntervalMs', '60000', 'storeConfiguration', 'memory', 'custom'],
    ...['endpoints', 'templateOptions', 'primaryColor', '/elicit/:id/status', '/elicit/:id/api-key'],
    ...['/elicit/:id/confirm', 'pending', 'completed', 'createdAt', 'expiresAt', 'elicitationId'],
    ...['fieldLabel', 'placeholder', 'description', 'title', 'warning', 'confirmLabel', 'cancelLabel'],
    ...['createUrl', 'completionNotifier', 'throwRequired', 'isSupported', 'getResult', 'findByUserAndType'],
    ...['elicitForm', '_meta.userId', 'metadata.userId', 'metadata.type', 'data.apiKey', 'IElicitationStore'],
    ...['storeElicitation', 'getElicitation', 'UrlElicitationRequiredError', '-32042'],
    ...['notifications/elicitation/complete', 'McpAuthModule', 'McpAuthJwtGuard', 'request.user', 'path'],
  ],
  mcpx: [
    ...['mcp-x/v0', '`id`', '`ts`', '`from`', '`to', '`kind`', '`payload`', 'kind: "mcp"', 'elicitation/create'],
    ...['message', 'requestedSchema', 'approve', 'reason', 'elicitationType', 'tool_approval', 'originalRequest'],
    ...['tool', 'arguments', 'requestId', 'accept', 'decline', 'cancel', 'content', 'modifiedTarget', 'timeout'],
    ...['default', 'enum', 'minimum', 'maximum', 'delegate', 'delegateTo', 'enumNames', 'deny', 'priority', '300'],
    ...['"high"', 'approved by', 'correlation', 'ADR-001'],
  ],
  contextforge: [
    ...['MCPGATEWAY_ELICITATION_ENABLED', 'MCPGATEWAY_ELICITATION_TIMEOUT', 'MCPGATEWAY_ELICITATION_MAX_CONCURRENT'],
    ...['default true', 'default 60 seconds', 'default 100', '-32601', '-32000', '-32602'],
    ...['elicitation/create', 'requestedSchema', 'message', 'accept', 'decline', 'cancel', '{"elicitation": {}}'],
    ...['ElicitationService', 'ElicitationCapability', 'ElicitRequestParams', 'ElicitResult', 'SessionRegistry'],
  ],
  unicity: [
    ...['ElicitationCoordinator', '`Deny` (default)', '`Allow`', 'unicity.execute_tool', '`permission` table'],
    ...['allow_once', 'always_allow', 'deny', '`Granted`', '`Denied`', '`Required`', '`Expired`'],
    ...['String', 'Number', 'Integer', 'Boolean', 'Enum', 'email', 'uri', 'date', 'date-time', 'blocked service'],
    ...['{base}/oauth/connect/{provider}?elicitation_id={id}', 'in-memory', '[github]'],
    ...['Declined', 'Canceled', 'Expired', 'Not found', 'URL required', '-32001', '-32002', '-32042'],
  ],
}

const pages = await Promise.all(
  (await readdir(folder)).map(async (file) => ({
    name: file.replace('.md', ''),
    text: await readFile(join(folder, file), 'utf8'),
  })),
)

test('there is a page for every design that people come from', () => {
  expect(pages.map(({ name }) => name).sort()).toEqual(Object.keys(named).sort())
})

describe.each(pages)('the page of $name', ({ name, text }) => {
  test('says what became of everything that the design names', () => {
    expect(named[name]?.filter((one) => !text.includes(one))).toEqual([])
  })

  test('names settings that exist', () => {
    const known: Readonly<Record<string, readonly string[]>> = {
      clocks: Object.keys(defaults.clocks),
      limits: Object.keys(defaults.limits),
      retain: Object.keys(defaults.retain),
      elicitation: settingNames.elicitation,
      policy: [...Object.keys(defaults.policy), 'extends', 'rules'],
    }
    const used = [...text.matchAll(/`(clocks|limits|retain|elicitation|policy)\.(\w+)/g)]
    expect(used.filter(([, section = '', setting = '']) => !known[section]?.includes(setting))).toEqual([])
  })

  test('explains each code that is not the same here', () => {
    const ours = new Set<number>(Object.values(codes))
    // What the designs used them for is not what these codes mean here, or to anybody.
    const replaced = [codes.serverError, codes.sessionNotFound, codes.resourceNotFound]
    const listed = [...text.matchAll(/-3\d{4}\b/g)].map(([code]) => Number(code))
    expect(listed.filter((code) => !ours.has(code) && code !== -32_099)).toEqual([])
    for (const code of replaced.filter((one) => listed.includes(one))) {
      expect(text, String(code)).toMatch(new RegExp(`\\| why \\||${code}[^|]*(mean|SDKs)`))
    }
  })

  test('links to what is there', async () => {
    const links = [...text.matchAll(/\]\(([^):#]+\.md)?(?:#([\w-]+))?\)/g)]
    for (const [link, path, anchor] of links) {
      const file = path === undefined ? join(folder, `${name}.md`) : join(dirname(join(folder, name)), path)
      expect({ link, exists: existsSync(file) }).toEqual({ link, exists: true })
      if (anchor !== undefined)
        expect({ link, anchors: anchorsOf(await readFile(file, 'utf8')) }).toMatchObject({
          anchors: expect.arrayContaining([anchor]),
        })
    }
  })
})

/** The anchors of the headings in a page, as web hosts for code make them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}

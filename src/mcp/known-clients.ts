import type { Quirk } from './quirks.ts'

/** No person reads a question and answers it sooner than this. */
const tooFast = '1s'

/**
 * The quirks of published clients, as they were seen on the wire. `docs/clients.md` says what each client does. Clients that
 * do what they declare have no entry.
 */
export const knownClients: readonly Quirk[] = [
  // Answers for the person when nobody is there (`claude -p`, the Agent SDK): "cancel" within a tenth of a second.
  { name: 'claude-code', unseenWithin: tooFast, messageLines: 3 },
  // Its forms could not be submitted before this version.
  { name: 'claude-code', until: '2.1.228', lacks: ['form'] },
  { name: 'claude-code', userAgent: '(sdk-', lacks: ['form', 'url'] },
  { name: 'claude-code', env: { name: 'CLAUDE_CODE_ENTRYPOINT', value: 'sdk-cli' }, lacks: ['form', 'url'] },
  { name: 'claude-code', env: { name: 'CLAUDE_CODE_ENTRYPOINT', value: 'sdk-ts' }, lacks: ['form', 'url'] },
  { name: 'claude-code', env: { name: 'CLAUDE_CODE_ENTRYPOINT', value: 'sdk-py' }, lacks: ['form', 'url'] },
  // `codex exec` declines at once. With a screen, an empty text field cannot be submitted, nor is its default shown.
  { name: 'codex-mcp-client', unseenWithin: tooFast, choiceOnly: true, wantsElicitationId: true },
  {
    name: 'codex-mcp-client',
    meta: { key: 'x-codex-turn-metadata', contains: '"turn_trigger":"exec"' },
    lacks: ['form', 'url'],
  },
  // `copilot -p` declines at once, and nothing tells it apart from the interactive client.
  { name: 'copilot-cli', unseenWithin: tooFast, wantsElicitationId: true },
]

import type { JsonObject } from '../base/json.ts'

/** The coding agents whose hooks are known. Each name is also the server's name in rules. */
export const hookClients = ['claude-code', 'codex'] as const
export type HookClient = (typeof hookClients)[number]

/** Before any tool runs, and before the client asks its person. */
export const hookEvents = ['PreToolUse', 'PermissionRequest'] as const
export type HookEvent = (typeof hookEvents)[number]

/** What a hook says about a call. */
export type HookAnswer =
  | { readonly kind: 'allow'; readonly reason: string; readonly edited?: JsonObject }
  | { readonly kind: 'deny'; readonly reason: string }
  /** The client's own prompt decides. */
  | { readonly kind: 'ask'; readonly reason: string }
  /** The client does as it would without this hook. */
  | { readonly kind: 'none' }

interface Called {
  readonly client: HookClient
  readonly event: HookEvent
}

/**
 * Whether edited arguments can be given back. Codex refuses the answer to a PermissionRequest that has any, and versions
 * before 0.131 drop them from others and run the call unedited; a hook is not told the version of its client.
 */
export function takesEdits({ client }: Called): boolean {
  return client === 'claude-code'
}

/** In the other modes of Claude Code no person may be there to be prompted, or a model answers in their place. */
const promptingModes = ['default', 'acceptEdits', 'plan']

/**
 * Whether the client can be made to prompt its person. Codex takes no `ask` before a tool runs: it would go on by its own
 * settings, which may run the call unasked.
 */
export function canPrompt({ client, event, mode }: Called & { readonly mode?: string }): boolean {
  // The client is about to prompt, and does so unless the hook decides.
  if (event === 'PermissionRequest') return true
  return client === 'claude-code' && mode !== undefined && promptingModes.includes(mode)
}

/** The answer in the words of the client. */
export function writeAnswer({ client, event }: Called, answer: HookAnswer): JsonObject {
  if (event === 'PermissionRequest') return permission(answer)
  return client === 'codex' ? codexDecision(answer) : decision(answer)
}

function decision(answer: HookAnswer): JsonObject {
  if (answer.kind === 'none') return {}
  const { kind, reason } = answer
  const edited = kind === 'allow' && answer.edited !== undefined ? { updatedInput: answer.edited } : {}
  return preToolUse({ permissionDecision: kind, permissionDecisionReason: reason, ...edited })
}

/** Codex knows no plain `allow`: silence lets its sandbox and its own approvals go on. */
function codexDecision(answer: HookAnswer): JsonObject {
  switch (answer.kind) {
    case 'none':
    case 'allow':
      return {}
    case 'deny':
    case 'ask':
      return preToolUse({ permissionDecision: 'deny', permissionDecisionReason: answer.reason })
  }
}

function preToolUse(output: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } }
}

/** Without a decision, the client prompts. */
function permission(answer: HookAnswer): JsonObject {
  switch (answer.kind) {
    case 'none':
    case 'ask':
      return {}
    case 'allow': {
      const edited = answer.edited === undefined ? {} : { updatedInput: answer.edited }
      return permissionRequest({ behavior: 'allow', ...edited })
    }
    case 'deny':
      return permissionRequest({ behavior: 'deny', message: answer.reason })
  }
}

function permissionRequest(decided: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: decided } }
}

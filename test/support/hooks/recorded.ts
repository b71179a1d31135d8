import type { HookClient, HookEvent } from '../../../src/hooks/contracts.ts'

/** What Claude Code 2.1.326 wrote to the standard input of its hook, with paths and ids replaced. */
const claudeCode = {
  session_id: 'd433bf11-c2b3-47f7-8e0e-183ad34be863',
  transcript_path: '/home/me/.claude/projects/-work/d433bf11-c2b3-47f7-8e0e-183ad34be863.jsonl',
  cwd: '/work',
  prompt_id: '05925291-e39b-4505-94cc-8065abc553bc',
  permission_mode: 'default',
  effort: { level: 'medium' },
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'make clean', description: 'Remove what was built' },
  tool_use_id: 'toolu_687x1',
}

/** What Codex 0.169.0 wrote, likewise. */
const codex = {
  session_id: '01a1edd7-e90d-7ad2-b594-d707ff7b8cd7',
  turn_id: '01a1edd7-e91a-7b62-89dc-af79efcd0504',
  transcript_path: '/home/me/.codex/sessions/2026/11/18/rollout-01a1edd7-e90d-7ad2-b594-d707ff7b8cd7.jsonl',
  cwd: '/work',
  hook_event_name: 'PreToolUse',
  model: 'some-model',
  permission_mode: 'bypassPermissions',
  tool_name: 'Bash',
  tool_input: { command: 'make clean' },
  tool_use_id: 'call_1315x1',
}

/** The input of a client's hook, as it comes by standard input or in a request. */
export function hookInput(client: HookClient, event: HookEvent = 'PreToolUse', changed: object = {}): string {
  const { tool_use_id, ...rest } = client === 'codex' ? codex : claudeCode
  const said = event === 'PreToolUse' ? { ...rest, tool_use_id } : rest
  return JSON.stringify({ ...said, hook_event_name: event, ...changed })
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { HookedTool } from './apps/app.ts'
import type { Gateway, Waiting } from './assent.ts'
import type { Finding } from './findings.ts'
import type { Script } from './model/conversation.ts'
import { answered } from './story.ts'

/** What is tried with the shell of a coding agent, behind `assent hook`. */
export const hookTrials = {
  allowed: 'a rule allows the command',
  denied: 'a rule denies it',
  yes: 'yes while it waits',
  no: 'no while it waits',
  edited: 'the approver changes the command',
  nobody: 'nobody there',
  lateYes: 'yes in the inbox, then the same command',
} as const

type HookTrial = keyof typeof hookTrials

export type HookFindings = Map<HookTrial, Finding>

/** A session in which the client is told to run commands that make files, whose names say what the rules are. */
export async function* hookSession(gateway: Gateway, tool: HookedTool, findings: HookFindings): Script {
  const file = (name: string) => join(gateway.data, name)
  const touch = (name: string) => tool.use(`touch ${file(name)}`)
  const runs = (name: string, read: string, words = 'runs'): Finding => {
    const ok = existsSync(file(name))
    return { ok, words: ok ? words : 'does not run', read }
  }
  const stays = (name: string, read: string, told: RegExp, words: string): Finding => {
    const ok = !existsSync(file(name)) && told.test(read)
    return { ok, words: ok ? words : existsSync(file(name)) ? 'runs' : 'not told', read }
  }
  const whileItWaits = (name: string, answer: (question: Waiting) => Promise<unknown>) =>
    answered(gateway, touch(name), answer)

  findings.set('allowed', runs('allowed', yield touch('allowed')))
  findings.set('denied', stays('denied', yield touch('denied'), /not of this name/, 'reads the reason'))
  findings.set('yes', runs('yes', yield* whileItWaits('yes', ({ id }) => gateway.allow(id)), 'goes on'))
  const no = yield* whileItWaits('no', ({ id }) => gateway.deny(id, 'not on a Friday'))
  findings.set('no', stays('no', no, /not on a Friday/, 'reads the reason'))

  if (tool.takesEdits) {
    const read = yield* whileItWaits('before', () => gateway.edit(`touch ${file('after')}`))
    const edited = runs('after', read, 'runs as changed')
    findings.set('edited', existsSync(file('before')) ? { ok: false, words: 'runs unchanged', read } : edited)
  } else findings.set('edited', { ok: true, words: 'not offered' })

  findings.set('nobody', stays('late', yield touch('late'), /\/elicit\//, 'text and link'))
  for (const { id } of await gateway.inbox()) await gateway.allow(id)
  findings.set('lateYes', runs('late', yield touch('late')))
  return 'The session is over.'
}

import type { Command } from 'commander'
import { AssentError, BadArgument } from '../../base/errors.ts'
import { answerHook, failedHook } from '../../hooks/answer-hook.ts'
import type { HookClient } from '../../hooks/contracts.ts'
import { type HookCall, OtherEvent, readHookCall } from '../../hooks/hook-call.ts'
import { localParticipant } from '../../participant/participant.ts'
import type { Given } from '../config/read.ts'
import { exitCodes } from '../errors.ts'
import { complain } from '../print.ts'
import { serveDespiteRejections } from '../rejections.ts'
import { askGateway, findGateway } from './find-gateway.ts'

/** Both clients take this exit code as a no, and show what is on standard error. Any other lets the call go on. */
const blocks = 2

/** Reads one call from standard input and writes one answer to standard output. Whatever fails is a deny. */
export async function runHook(client: HookClient, command: Command): Promise<void> {
  serveDespiteRejections(failed)
  const text = await standardInput()
  let hook: HookCall
  try {
    hook = readHookCall(client, text)
  } catch (error) {
    complain(`Assent could not read what this hook was given. ${(error as Error).message}`)
    process.exitCode = error instanceof OtherEvent ? exitCodes.no : blocks
    return
  }
  const given = { ...command.optsWithGlobals<Given>(), onlyNamed: true }
  const began = performance.now()
  const gateway = await findGateway(given)
  const answer =
    (gateway && (await askGateway(gateway, client, text))) ??
    JSON.stringify(await decideHere(hook, given, performance.now() - began))
  process.stdout.write(`${answer}\n`)
}

/** Decides in this process, with the store of the settings. */
async function decideHere(hook: HookCall, given: Given, waitedMs: number): Promise<object> {
  try {
    const { readConfig } = await import('../config/read.ts')
    const { inStateFolder } = await import('../run/state-folder.ts')
    const { using } = await import('../with-assent.ts')
    const config = inStateFolder(await readConfig(given), given)
    const participant = config.auth === undefined ? localParticipant : config.hooks.participant
    if (participant === undefined) {
      throw new BadArgument('With a login, hooks.participant must say for whom coding agents work.')
    }
    const holdMs = Math.max(0, config.hooks.hold - waitedMs)
    return await using(config, (assent) => answerHook(assent, hook, { participant, holdMs, onError: failed }))
  } catch (error) {
    failed(error)
    return failedHook(hook, error)
  }
}

/** Standard error is for people; the model is told the message only. */
function failed(error: unknown): void {
  complain(error instanceof Error ? error.message : String(error))
  if (error instanceof AssentError && error.detail !== undefined) complain(`  ${error.detail}`)
}

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

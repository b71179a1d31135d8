import type { Command } from 'commander'
import { BadArgument } from '../../base/errors.ts'
import { localParticipant } from '../../participant/participant.ts'
import type { Config } from '../config/config.ts'
import { exitCodes } from '../errors.ts'
import { complain, print } from '../print.ts'
import { portNumber } from '../serve/port-number.ts'
import { momentText, tableLines } from '../show-table.ts'
import { configOf, withAssent } from '../with-assent.ts'

const examples = `
Without a login, only enrolled browsers may open the pages. The link that enrols a browser works once, for 10 minutes.

Examples:
  assent open                  enrol your default browser
  assent open --print          print the link, for another browser on this machine
  assent open --list           list the enrolled browsers
  assent open --revoke <id>    revoke one of them`

interface OpenOptions {
  readonly print?: true
  readonly quiet?: true
  readonly list?: true
  readonly revoke?: string
  readonly json?: true
}

/** `assent open`: enrols a browser for the local person. */
export function addOpenCommand(program: Command): void {
  program
    .command('open')
    .description('enrol a browser, so that it may open the pages')
    .option('--print', 'print the link, and open no browser')
    .option('--quiet', 'open the browser, and print nothing')
    .option('--list', 'list the enrolled browsers')
    .option('--revoke <id>', 'revoke an enrolled browser')
    .option('--json', 'with --list: print JSON, for scripts')
    .option('--port <number>', 'the port that the gateway was started with', portNumber)
    .addHelpText('after', examples)
    .action(async (options: OpenOptions, command: Command) => {
      if (options.print && options.quiet)
        throw new BadArgument('--print and --quiet contradict each other. Use one of them.')
      if (options.revoke !== undefined) return revoke(options.revoke, command)
      if (options.list) return list(options, command)
      const config = await configOf(command)
      if (config.auth !== undefined) return openLogin(config, options)
      if (config.store.startsWith('memory:')) {
        throw new BadArgument(
          'With the store memory: only the gateway itself can make a link. Open the one that it prints.',
        )
      }
      const link = await withAssent(command, async (assent) => {
        const { enrollLink } = await import('../../web/viewer/enroll.ts')
        return enrollLink(assent)
      })
      await show(link, 'Open this once, within 10 minutes:', options)
      if (!(await isServed(config))) complain(`Nothing answers at ${config.publicUrl} yet. Start Assent with: assent`)
    })
}

async function openLogin({ publicUrl }: Config, options: OpenOptions): Promise<void> {
  await show(publicUrl, 'People sign in to these pages, so no browser needs to be enrolled:', options)
}

async function show(url: string, words: string, options: OpenOptions): Promise<void> {
  if (options.print) return print(url)
  if (!options.quiet) {
    print(words)
    print(`  ${url}`)
  }
  const { openBrowser } = await import('../../client/terminal/open-browser.ts')
  await openBrowser(url).catch(() => complain('No browser could be started. Open the link yourself.'))
}

async function isServed({ publicUrl }: Config): Promise<boolean> {
  try {
    await fetch(`${publicUrl}/healthz`, { signal: AbortSignal.timeout(2_000), redirect: 'manual' })
    return true
  } catch {
    return false
  }
}

async function list({ json }: OpenOptions, command: Command): Promise<void> {
  const all = await withAssent(command, async ({ store, clock }) => {
    const now = clock.now()
    return (await store.browsers.list(localParticipant)).filter(({ expiresAt }) => expiresAt > now)
  })
  // Without the digest of the cookie, which is of no use to people.
  const shown = all.map(({ id, name, by, createdAt, expiresAt }) => ({ id, name, by, createdAt, expiresAt }))
  if (json) return print(JSON.stringify(shown))
  if (shown.length === 0) return print('No browser is enrolled.')
  const rows = shown.map(({ id, name, createdAt, expiresAt }) => [
    id,
    name,
    momentText(createdAt),
    momentText(expiresAt),
  ])
  for (const line of tableLines(['id', 'browser', 'enrolled', 'until'], rows)) print(line)
}

async function revoke(id: string, command: Command): Promise<void> {
  const isGone = await withAssent(command, async (assent) => {
    const removed = await assent.store.browsers.remove(localParticipant, id)
    if (removed) {
      await assent.record({ kind: 'browser-removed', who: localParticipant, about: id, data: { by: 'command' } })
    }
    return removed
  })
  if (isGone) return print('That browser is no longer enrolled. The pages refuse it from now on.')
  complain('No enrolled browser has this id. See: assent open --list')
  process.exitCode = exitCodes.no
}

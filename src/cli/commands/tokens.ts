import type { Command } from 'commander'
import type { Assent } from '../../assent.ts'
import { BadArgument } from '../../base/errors.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import { newToken, problemWithToken } from '../../participant/api-token.ts'
import { type ApiRight, type ApiToken, apiRights } from '../../participant/owned.ts'
import { parseParticipantId } from '../../participant/participant.ts'
import { exitCodes } from '../errors.ts'
import { complain, print } from '../print.ts'
import { momentText, tableLines } from '../show-table.ts'
import { withStore } from '../with-assent.ts'

interface ListOptions {
  readonly participant?: string
  readonly json?: true
}

interface MakeOptions {
  readonly participant: string
  readonly right: readonly string[]
  readonly days: string
}

/** `assent tokens`: lists, makes and revokes the tokens by which programs act for people. */
export function addTokensCommands(program: Command): void {
  const tokens = program
    .command('tokens')
    .description('list, make and revoke the tokens of programs that act for people')

  tokens
    .command('list', { isDefault: true })
    .description('list the tokens by which programs act for people (the default)')
    .option('--participant <participant>', 'only those of this participant: "local", or subject@issuer')
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', '\nPeople make tokens themselves, at /tokens.\n\nExample:\n  assent tokens list --json')
    .action(async ({ participant, json }: ListOptions, command: Command) => {
      const all = await withStore(command, (assent) => read(assent, participant))
      if (json) return print(JSON.stringify(all.map(withoutKey)))
      if (all.length === 0) return print('No program has a token. People make one on the page /tokens.')
      for (const line of tableLines(['id', 'participant', 'name', 'rights', 'made', 'expires'], all.map(row)))
        print(line)
    })

  tokens
    .command('make <name>')
    .description('make a token for a program, and print it, this once')
    .option('--participant <participant>', 'for whom the program acts: "local", or subject@issuer', 'local')
    .option('--right <right...>', `what it may do: ${apiRights.join(', ')}`, ['status', 'list'])
    .option('--days <days>', 'how long it is valid', '90')
    .addHelpText(
      'after',
      '\nWith answer-own, an agent that gets the token can allow its own calls.\n\nExample:\n  assent tokens make "Deck on my desk" --right list answer --days 30',
    )
    .action(async (name: string, { participant, right, days }: MakeOptions, command: Command) => {
      const wish = { participant: parseParticipantId(participant), name, rights: readRights(right), days: Number(days) }
      const wrong = problemWithToken(wish)
      if (wrong !== undefined) throw new BadArgument(wrong)
      const token = await withStore(command, (assent) => make(assent, wish))
      print(token)
    })

  tokens
    .command('revoke <id>')
    .description('revoke the token of a program, at once and everywhere')
    .addHelpText('after', '\nExample:\n  assent tokens revoke 3f2a9c1e-…')
    .action(async (id: string, _, command: Command) => {
      const revoked = await withStore(command, (assent) => revoke(assent, id))
      if (revoked !== undefined) return print(`The token of "${visibleLine(revoked.name, 60)}" is revoked.`)
      complain('No token has this id. See: assent tokens')
      process.exitCode = exitCodes.no
    })
}

function readRights(words: readonly string[]): readonly ApiRight[] {
  return words.map((word) => {
    const right = apiRights.find((one) => one === word)
    if (right === undefined)
      throw new BadArgument(`There is no right "${word}". Write some of ${apiRights.join(', ')}.`)
    return right
  })
}

async function make(assent: Assent, wish: Parameters<typeof newToken>[0]): Promise<string> {
  const { token, record } = newToken(wish, assent.clock.now())
  const { id, participant, rights } = record
  await assent.record({
    kind: 'token-made',
    who: participant,
    about: id,
    data: { rights: [...rights], by: 'operator' },
  })
  await assent.store.tokens.add(record)
  return token
}

async function revoke(assent: Assent, id: string): Promise<ApiToken | undefined> {
  const found = (await read(assent)).find((one) => one.id === id)
  if (found === undefined || !(await assent.store.tokens.remove(found.participant, id))) return undefined
  await assent.record({ kind: 'token-revoked', who: found.participant, about: id, data: { by: 'operator' } })
  return found
}

const atOnce = 500

async function read({ store }: Assent, participant?: string): Promise<ApiToken[]> {
  if (participant !== undefined) return store.tokens.list(parseParticipantId(participant))
  const all: ApiToken[] = []
  for (;;) {
    const page = await store.tokens.listAll(atOnce, all.at(-1)?.id)
    all.push(...page)
    if (page.length < atOnce) return all
  }
}

function withoutKey({ key: _, ...shown }: ApiToken) {
  return shown
}

function row({ id, participant, name, rights, createdAt, expiresAt }: ApiToken): string[] {
  const words = [id, participant, name].map((word) => visibleLine(word, 60))
  return [...words, rights.join(' '), momentText(createdAt), momentText(expiresAt)]
}

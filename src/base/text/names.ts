import { isPlainName, showName, shownText } from './show-text.ts'

/** Longer names are cut within a sentence. */
const longest = 80

/** The name of a tool, a server or a client in a sentence: what it hides is marked, and what is cut off is counted. */
export function nameText(name: string): string {
  const shown = shownText(showName(name.slice(0, longest)))
  const left = name.length - longest
  return left > 0 ? `${shown}… (${left.toLocaleString('en')} more ${left === 1 ? 'character' : 'characters'})` : shown
}

/** Whether `nameText` is the name itself. */
export function isShownAsItIs(name: string): boolean {
  return name.length <= longest && isPlainName(name)
}

/**
 * What is known of a client: `verified` by a login; `named`, any program on this machine that gives itself this name;
 * `anyone`, any program on this machine.
 */
export type ClientKnown = 'verified' | 'named' | 'anyone'

/** A client as people read about it. Its `name` is hearsay: the client chose it. */
export interface NamedClient {
  readonly id: string
  readonly name?: string
  readonly known: ClientKnown
}

/**
 * A client in words. `label`: what to call it in passing. `asker`: who asks. `this` and `covered`: whom a lasting yes or no
 * covers, before and after it is given. Only the id that a login verified is said as a fact.
 */
export function clientText({ id, name, known }: NamedClient, as: 'label' | 'asker' | 'this' | 'covered'): string {
  if (as === 'label') return nameText(name ?? id)
  if (known === 'verified')
    return name === undefined || name === id ? nameText(id) : `${nameText(name)} (${nameText(id)})`
  if (as === 'asker') return program(known === 'named' ? (name ?? id) : name)
  return known === 'named'
    ? `any program on this machine that calls itself ${nameText(id)}`
    : 'any program on this machine'
}

/** The agents for which a client acts, after its own words; nothing where there are none. */
export function behindText(agents: readonly string[]): string {
  return agents.length === 0 ? '' : ` acting for ${agents.map(nameText).join(', ')}`
}

function program(name: string | undefined): string {
  return name === undefined ? 'a program on this machine' : `a program that calls itself ${nameText(name)}`
}

/** What an approver must know before a yes to a program that cannot be told from others; undefined where it can be. */
export function cannotTellApart(known: ClientKnown): string | undefined {
  return known === 'anyone'
    ? 'Without a login, Assent cannot tell the programs on this machine apart: your yes counts for any of them.'
    : undefined
}

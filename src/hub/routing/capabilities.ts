import { globMatcher } from '../../approval/policy/glob.ts'
import type { Capability, CapabilityPattern, Member } from '../options.ts'

/** What is about to be sent. */
export interface SentMessage {
  readonly method: string
  readonly tool?: string
  readonly to: readonly string[]
}

/** Sees every envelope of its space, whomever it is for. */
export const observe = 'observe'

/** Judges what a participant may send. */
export interface Capabilities {
  readonly mayObserve: boolean
  allows(sending: SentMessage): boolean
}

type Matcher = (sending: SentMessage) => boolean

/** Reads the patterns once. Any that says no wins over all that say yes. */
export function capabilitiesOf({ may, kind }: Pick<Member, 'may' | 'kind'>): Capabilities {
  const patterns = may.filter((one) => one !== observe).map(patternOf)
  const denied = patterns.filter(({ not }) => not === true).map(matcherOf)
  const allowed = patterns.filter(({ not }) => not !== true).map(matcherOf)
  // Everybody may notify; what an agent asks of others is named in its settings.
  if (kind !== 'human') allowed.push(({ method }) => method.startsWith('notifications/'))
  return {
    mayObserve: may.includes(observe),
    allows: (sending) => !denied.some((matches) => matches(sending)) && allowed.some((matches) => matches(sending)),
  }
}

function patternOf(capability: Capability): CapabilityPattern {
  if (typeof capability !== 'string') return capability
  return capability.startsWith('!') ? { method: capability.slice(1), not: true } : { method: capability }
}

function matcherOf({ method, tool, to }: CapabilityPattern): Matcher {
  const methods = anyOf(method)
  const tools = anyOf(tool)
  const recipients = anyOf(to)
  return (sending) =>
    methods(sending.method) &&
    (tool === undefined || (sending.tool !== undefined && tools(sending.tool))) &&
    // What is for everybody is for more than the pattern names.
    (to === undefined || (sending.to.length > 0 && sending.to.every(recipients)))
}

function anyOf(globs: string | readonly string[] | undefined): (text: string) => boolean {
  if (globs === undefined) return () => true
  const matchers = (typeof globs === 'string' ? [globs] : globs).map(globMatcher)
  return (text) => matchers.some((matches) => matches(text))
}

import type { Duration } from '../base/durations.ts'
import type { JsonObject } from '../base/json.ts'

/** What a client calls itself. Shown to people and used to look up quirks, never to trust the client more. */
export interface ClientInfo {
  readonly name: string
  readonly version: string
}

/**
 * What a named client does differently from what it declares. A quirk takes ways of asking away or adds one, or fits a
 * question to what the client shows. It never widens what counts as a yes.
 */
export interface Quirk {
  /** What the client calls itself. A `*` at its end stands for any rest. */
  readonly name: string
  /** The first version with the quirk. */
  readonly since?: string
  /** The first version without the quirk. */
  readonly until?: string
  /** Only for requests whose User-Agent header contains this text. */
  readonly userAgent?: string
  /** Only for requests whose `_meta` has this key with a value whose JSON contains this text. */
  readonly meta?: { readonly key: string; readonly contains: string }
  /** Only for a client that started this process with this value of an environment variable. */
  readonly env?: { readonly name: string; readonly value: string }
  /** Modes that the client declares but does not show to a person. */
  readonly lacks?: readonly ('form' | 'url')[]
  /** Modes that the client shows to a person but does not declare. `lacks` counts before it. */
  readonly adds?: readonly ('form' | 'url')[]
  /** An answer that comes sooner than this was given by no person. */
  readonly unseenWithin?: Duration
  /** How many lines of a message the client shows. An approval with more is asked on a page. */
  readonly messageLines?: number
  /** The client can submit no form with fields left empty: an approval is a choice alone, and is edited on its page. */
  readonly choiceOnly?: boolean
  /** A question for a page needs an `elicitationId` on 2026-07-28 too, which dropped it. */
  readonly wantsElicitationId?: boolean
  /** How a client of 2025-11-25 is sent to a page: by a request during the call, or by the error -32042. */
  readonly urlBy?: 'push' | 'error'
}

/** What is known of the client of one request. */
export interface ClientMarks {
  readonly info: ClientInfo | undefined
  readonly userAgent?: string | undefined
  readonly meta?: JsonObject | undefined
  /** The environment of this process, if the client started it. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/** The quirks of this client, in their order. */
export function quirksOf(client: ClientMarks, quirks: readonly Quirk[]): readonly Quirk[] {
  const { info } = client
  return info === undefined ? [] : quirks.filter((quirk) => isNamed(quirk, info) && isMarked(quirk, client))
}

/** What the quirks of one client say about a trait. A later quirk, such as one from a config file, wins. */
export function traitOf<Name extends keyof Quirk>(quirks: readonly Quirk[], name: Name): Quirk[Name] | undefined {
  return quirks.findLast((quirk) => quirk[name] !== undefined)?.[name]
}

function isNamed({ name, since, until }: Quirk, info: ClientInfo): boolean {
  const isMine = name.endsWith('*') ? info.name.startsWith(name.slice(0, -1)) : info.name === name
  if (!isMine || (since !== undefined && isBefore(info.version, since))) return false
  return until === undefined || isBefore(info.version, until)
}

function isMarked({ userAgent, meta, env }: Quirk, client: ClientMarks): boolean {
  if (userAgent !== undefined && client.userAgent?.includes(userAgent) !== true) return false
  if (env !== undefined && client.env?.[env.name] !== env.value) return false
  if (meta === undefined) return true
  const given = client.meta?.[meta.key]
  // Some clients write JSON as text into `_meta`.
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  return text?.includes(meta.contains) === true
}

function isBefore(version: string, other: string): boolean {
  const [mine, theirs] = [numbersIn(version), numbersIn(other)]
  for (let index = 0; index < Math.max(mine.length, theirs.length); index++) {
    const difference = (mine[index] ?? 0) - (theirs[index] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

function numbersIn(version: string): number[] {
  return (version.match(/\d+/g) ?? []).map(Number)
}

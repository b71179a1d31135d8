import type { RequestContext } from '../../asking/context.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import type { Page } from '../questions/ask-open.ts'

/** How far a call got at its upstream between two requests of a 2026 client. */
export type UpstreamProgress = ParkedAtUpstream | InputRequired | RequiredPages

/** The call is in flight at a 2025 upstream, parked in one process. */
export interface ParkedAtUpstream {
  readonly kind: 'parked'
  /** The instance that holds it. Undefined if a version before 0.2 sealed it. */
  readonly at?: string
}

/** A 2026 upstream answered `input_required`. */
export interface InputRequired {
  readonly kind: 'input-required'
  /** Counts the upstream's rounds, so that equal keys in two rounds stay apart. */
  readonly round: number
  readonly questions: { readonly [key: string]: Json }
  /** The upstream's own `requestState`, sealed inside ours. */
  readonly state?: string
  /** Since when the upstream neither asks nor answers, in milliseconds. */
  readonly silentSince?: number
}

/** A 2025 upstream answered -32042: these pages have to be visited before it is called again. */
export interface RequiredPages {
  readonly kind: 'pages'
  readonly round: number
  readonly pages: readonly (Page & JsonObject)[]
  /** Since when it names these pages, in milliseconds. */
  readonly since: number
}

type Place = Pick<RequestContext, 'walk' | 'name'>

/** Keeps the progress in the walk's state, in the short keys of the sealed format, with the name of the upstream. */
export function keepProgress({ walk, name }: Place, progress: UpstreamProgress | undefined): void {
  if (progress === undefined) delete walk.upstream
  else walk.upstream = { of: name, ...encode(progress) }
}

/** The progress that the walk's state holds. Throws for that of another upstream, which must not learn of it. */
export function progressOf({ walk, name }: Place): UpstreamProgress | undefined {
  const { upstream } = walk
  if (!isPlainObject(upstream)) return undefined
  const { of: server, n, q, s, t, pages, parked, at } = upstream
  if (server !== name) throw upstreamReplaced(name)
  if (parked === true) return { kind: 'parked', ...(typeof at === 'string' && { at }) }
  if (Array.isArray(pages)) return { kind: 'pages', round: Number(n), pages: pages as never, since: Number(t) }
  if (!isPlainObject(q)) return undefined
  return {
    kind: 'input-required',
    round: Number(n),
    questions: q as InputRequired['questions'],
    ...(typeof s === 'string' && { state: s }),
    ...(typeof t === 'number' && { silentSince: t }),
  }
}

function encode(progress: UpstreamProgress): JsonObject {
  switch (progress.kind) {
    case 'parked':
      return { parked: true, ...(progress.at !== undefined && { at: progress.at }) }
    case 'pages':
      return { n: progress.round, pages: progress.pages as never, t: progress.since }
    case 'input-required': {
      const { round, questions, state, silentSince } = progress
      return {
        n: round,
        q: questions,
        ...(state !== undefined && { s: state }),
        ...(silentSince !== undefined && { t: silentSince }),
      }
    }
  }
}

/** Another upstream offers the resource now than when the person was asked. */
function upstreamReplaced(server: string): AskRefused {
  return new AskRefused(
    'failed',
    `Another server asked this. ${server} answers for this address now. Make the request again.`,
    'parked-call-gone',
  )
}

/** The upstream speaks another revision now than when it asked, so its progress cannot be used. */
export function upstreamChanged(server: string): AskRefused {
  return new AskRefused(
    'failed',
    `${server} was replaced by a server of another protocol revision after it asked. Make the call again.`,
    'parked-call-gone',
  )
}

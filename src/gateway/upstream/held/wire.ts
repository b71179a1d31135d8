import type { Json, JsonObject } from '../../../base/json.ts'
import type { AskReply, DownstreamClient, UpstreamReply } from '../upstream.ts'

/** A request for an upstream whose session another instance holds. */
export interface CallForHolder {
  readonly ref: string
  readonly upstream: string
  readonly client: DownstreamClient
  readonly method: string
  readonly params: JsonObject
  readonly exclusive?: boolean
  /** What the sender wants to hear of meanwhile. */
  readonly hooks: readonly HookName[]
}

export const hookNames = ['late', 'progress', 'log', 'asked', 'completed', 'notification'] as const
export type HookName = (typeof hookNames)[number]

/** What the sender of a call tells its holder. */
export type FromSender =
  /** Whether the call is still there. `asks`: the questions that came and are not answered yet. */
  | { readonly tell: 'look'; readonly asks: readonly number[] }
  | { readonly tell: 'cancel' }
  | { readonly tell: 'still'; readonly ask: number; readonly isWanted: boolean }
  | { readonly tell: 'answer'; readonly ask: number; readonly reply: AskReply }

/** What the holder tells the sender of a call. */
export type FromHolder =
  | { readonly tell: 'alive' }
  /** No such call is known: it is over, and its reply was lost, or it never came. */
  | { readonly tell: 'unknown' }
  | { readonly tell: 'reply'; readonly reply: UpstreamReply }
  /** It had to wait here: is it to be sent still? */
  | { readonly tell: 'late'; readonly ask: number }
  | { readonly tell: 'progress' | 'log'; readonly params: JsonObject }
  | { readonly tell: 'completed'; readonly id: string }
  | { readonly tell: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly tell: 'asked'; readonly ask: number; readonly method: string; readonly params: JsonObject }
  | { readonly tell: 'withdrawn'; readonly ask: number }

/** Words about one call, as mail carries them. */
export const asWord = (value: CallForHolder | FromSender | FromHolder) =>
  value as unknown as JsonObject & { tell: Json }

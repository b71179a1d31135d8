import type { Answer, Elicitation } from '../elicitation/elicitation.ts'
import type { FieldError } from '../elicitation/form/validate.ts'
import type { Frame } from './pages/props.ts'

/** A page of your own for questions that name it. Who may see it, its headers and the check of its posts stay ours. */
export interface CustomPage {
  /** The whole page. Its form is posted to its own address, with `frame.csrf` as `csrf`; styles carry `frame.nonce`. */
  show(elicitation: Elicitation, frame: Frame, errors: readonly FieldError[]): string | Promise<string>
  /** What the posted form says. */
  read(form: FormData, elicitation: Elicitation): Answer | Promise<Answer>
}

/** A proxy that signs people in and says in a header who they are. */
export interface TrustedProxy {
  /** Holds the subject. The proxy must remove it from what others send. */
  readonly header: string
  /** Makes subjects into participants: the issuer of the same people's tokens. */
  readonly issuer: string
  /** Addresses that the proxy connects from. The header counts from nowhere else. */
  readonly from: readonly string[]
  /** Holds the groups, with commas between them. */
  readonly groupsHeader?: string
}

export interface WebLimits {
  /** Default: 300. */
  readonly perAddressPerMinute: number
  /** What one person may do with one question. Default: 60. */
  readonly perQuestionPerMinute: number
  /** How many inboxes of one person are kept up to date at once. Default: 8. */
  readonly streamsPerPerson: number
  /** Default: 1 MiB. */
  readonly bodyBytes: number
}

export interface WebOptions {
  /** Pages of your own, by the name that a question calls its page. */
  readonly pages?: Readonly<Record<string, CustomPage>>
  readonly proxy?: TrustedProxy
  readonly limits?: Partial<WebLimits>
  /** How long a browser that was enrolled by a link stays so. Default: 90. */
  readonly browserDays?: number
  /** Host names these pages go by, besides loopback's and that of `publicUrl`. They need a login or a proxy. */
  readonly allowedHosts?: readonly string[]
  /** Told of what went wrong while serving, for the log. */
  readonly onError?: (error: unknown) => void
}

export const defaultWebLimits: WebLimits = {
  perAddressPerMinute: 300,
  perQuestionPerMinute: 60,
  streamsPerPerson: 8,
  bodyBytes: 1_048_576,
}

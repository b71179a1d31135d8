import type { Duration } from '../base/durations.ts'
import type { Answer, Elicitation } from '../elicitation/elicitation.ts'
import type { FieldError } from '../elicitation/form/validate.ts'
import type { ConsoleSources } from './console/sources.ts'
import type { Frame } from './pages/props.ts'

/** Your own page for questions that name it. Assent still decides who may see it, and checks what is posted. */
export interface CustomPage {
  /**
   * The page as HTML. Its form posts to its own address, with `frame.csrf` as `csrf`; styles need `frame.nonce`. The form of
   * an approval that another approver changed also posts what the page showed, as `shown`: the `identity` of the question, a
   * dot, and `voting.edit.digest`. Without it a yes to what was changed is refused.
   */
  show(elicitation: Elicitation, frame: Frame, errors: readonly FieldError[]): string | Promise<string>
  /** Reads the answer from the posted form. */
  read(form: FormData, elicitation: Elicitation): Answer | Promise<Answer>
}

/** A proxy that signs people in and names them in a header. */
export interface TrustedProxy {
  /** The header with the subject. The proxy must remove it from incoming requests. */
  readonly header: string
  /** The issuer of these people's tokens, so that a subject is the same participant on pages and over MCP. */
  readonly issuer: string
  /** Addresses that the proxy connects from. From any other address the header is ignored. */
  readonly from: readonly string[]
  /** The header with the groups, separated by commas. */
  readonly groupsHeader?: string
}

/** Limits that each process counts for itself. */
export interface WebLimits {
  /** Requests from one address by people who are not known. Default: 300. */
  readonly perAddressPerMinute: number
  /** Requests of one person who is signed in or whose browser is enrolled, wherever they come from. Default: 600. */
  readonly perPersonPerMinute: number
  /** Requests of one person about one question. Default: 60. */
  readonly perQuestionPerMinute: number
  /** Requests of one program to the API. Default: 120. */
  readonly perTokenPerMinute: number
  /** Tokens that one person may have. Default: 20. */
  readonly tokensPerPerson: number
  /** Browsers in which one person may be told by push. Default: 10. */
  readonly pushesPerPerson: number
  /** Open inboxes of one person that are updated live. Default: 8. */
  readonly streamsPerPerson: number
  /** The longest body of a posted form. Default: 1 MiB. */
  readonly bodyBytes: number
}

/** Options of `createWeb`. */
export interface WebOptions {
  /** Your own pages, by the name of the page that a question asks for. */
  readonly pages?: Readonly<Record<string, CustomPage>>
  /** Left out: people sign in on the pages, or enroll their browser by a link. */
  readonly proxy?: TrustedProxy
  /** The program that serves the pages verifies people by itself, and names each one in `env.person`. Default: false. */
  readonly isHosted?: boolean
  /**
   * Addresses and ranges, such as `10.0.0.0/8`, of proxies and balancers in front of the pages. They name nobody, but the
   * addresses that they add to `X-Forwarded-For` are counted instead of their own. Default: those of `proxy`.
   */
  readonly trustedProxies?: readonly string[]
  /** Who may open `/console`, as `subject@issuer` or `group:name`. Default: nobody; without a login, the local person. */
  readonly admins?: readonly string[]
  /** What the console shows that only the process with the gateway knows. Left out: it says that nothing is known of it. */
  readonly console?: ConsoleSources
  /** The servers behind the gateway whose new and changed tools are held back until an administrator allows them. */
  readonly pinned?: readonly string[]
  /** Left out: the defaults of `WebLimits`. */
  readonly limits?: Partial<WebLimits>
  /** Days after which a browser that was enrolled by a link must be enrolled again. Default: 90. */
  readonly browserDays?: number
  /**
   * How long a sign-in lasts, and so how long a person keeps the groups that the login named. Then they are sent to the
   * login again, which lets them in without a word while its own session lasts. Default: 1 hour.
   */
  readonly signIn?: Duration
  /** Host names of the pages, besides loopback and that of `publicUrl`. They need a login or a proxy. */
  readonly allowedHosts?: readonly string[]
  /** Called with each error that is a fault of this installation. Default: ignored. */
  readonly onError?: (error: unknown) => void
}

export const defaultWebLimits: WebLimits = {
  perAddressPerMinute: 300,
  perPersonPerMinute: 600,
  perQuestionPerMinute: 60,
  perTokenPerMinute: 120,
  tokensPerPerson: 20,
  pushesPerPerson: 10,
  streamsPerPerson: 8,
  bodyBytes: 1_048_576,
}

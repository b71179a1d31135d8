import type { FormSchema } from '../elicitation/form/schema.ts'
import type { FieldError } from '../elicitation/form/validate.ts'
import type { UrlWarning } from './page/url-safety.ts'

/** Who asks, as the person should see it. */
export interface Asker {
  /** The server as the person configured it, never as it calls itself. */
  readonly server: string
  /** The server behind it that a gateway names, when it does. */
  readonly origin?: string
}

/** A form to show. Its texts hold nothing that a terminal or a page would obey. */
export interface FormRequest {
  readonly asker: Asker
  readonly message: string
  readonly schema: FormSchema
  /** What to begin with: the form's own defaults, or what was filled in before. */
  readonly filled: Readonly<Record<string, unknown>>
  /** What was wrong with what was filled in before. */
  readonly errors: readonly FieldError[]
  /** Aborts when an answer is no longer wanted. */
  readonly signal: AbortSignal
}

/** What the person did with a form. Nothing is sent before an explicit yes. */
export type FormReply =
  /** A field that is there as undefined was left out on purpose: its default is not filled in. */
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' }

/** A page the person is asked to visit: all of its address is to be shown before it is opened. */
export interface UrlRequest {
  readonly asker: Asker
  readonly message: string
  readonly url: string
  /** What the person should look at most. */
  readonly host: string
  readonly warnings: readonly UrlWarning[]
  readonly signal: AbortSignal
}

/** What the person is told while a page of theirs is open. */
export interface WaitRequest {
  readonly asker: Asker
  readonly message: string
  readonly url: string
  /** Aborts when the wait is over. */
  readonly signal: AbortSignal
  /** Calls back with each progress that the server tells. */
  onProgress(listener: (text: string) => void): void
}

/** A page that must not be opened: it was declined for the person, who should know. */
export interface RefusedPage {
  readonly asker: Asker
  readonly message: string
  /** Why, in words. */
  readonly reason: string
}

/** How a person is asked: in a terminal, in a window, by a test. */
export interface ElicitationUi {
  form(request: FormRequest): Promise<FormReply>
  /** Whether to open the page. Nothing is opened, and nothing of it fetched, before the person says so. */
  consentToOpen(request: UrlRequest): Promise<'open' | 'decline' | 'cancel'>
  /** Opens it where neither this client nor its model can see it. */
  open(url: string): Promise<void>
  /** Tells of a page that was declined without asking. */
  pageRefused(page: RefusedPage): void
  /** Shows that something is waited for. Resolves when the person says that they are done, or want out. */
  waiting(request: WaitRequest): Promise<'done' | 'cancel'>
}

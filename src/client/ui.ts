import type { FormSchema } from '../elicitation/form/schema.ts'
import type { FieldError } from '../elicitation/form/validate.ts'
import type { UrlWarning } from './page/url-safety.ts'

/** Who asks, as it is shown to the person. */
export interface Asker {
  /** The name that the person configured, never the one that the server gives itself. */
  readonly server: string
  /** The server behind a gateway, if the gateway names one. */
  readonly origin?: string
}

/** A form to show. Control characters have been removed from its texts. */
export interface FormRequest {
  readonly asker: Asker
  readonly message: string
  readonly schema: FormSchema
  /** The initial content: the form's defaults, or what was filled in before. */
  readonly filled: Readonly<Record<string, unknown>>
  /** The problems of what was filled in before. */
  readonly errors: readonly FieldError[]
  /** Aborts when no answer is needed any more. */
  readonly signal: AbortSignal
}

/** What the person did with a form. */
export type FormReply =
  /** A field that is present as undefined was left out on purpose: its default is not used. */
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' }

/** A page that the person is asked to open. Its full address must be shown first. */
export interface UrlRequest {
  readonly asker: Asker
  readonly message: string
  readonly url: string
  /** The part of the address that matters most. */
  readonly host: string
  readonly warnings: readonly UrlWarning[]
  readonly signal: AbortSignal
}

/** A wait to show while the person is on a page. */
export interface WaitRequest {
  readonly asker: Asker
  readonly message: string
  readonly url: string
  /** Aborts when the wait has ended. */
  readonly signal: AbortSignal
  /** Calls the listener with each progress message of the server. */
  onProgress(listener: (text: string) => void): void
}

/** A page with an unsafe address, which was declined without asking the person. */
export interface RefusedPage {
  readonly asker: Asker
  readonly message: string
  /** Why it was declined, as a sentence. */
  readonly reason: string
}

/** Asks a person: in a terminal, in a window, or in a test. */
export interface ElicitationUi {
  form(request: FormRequest): Promise<FormReply>
  /**
   * Asks whether to open the page. Nothing is opened or fetched before the person agrees. `opened`: they have opened it
   * themselves, or have answered elsewhere, such as in an inbox.
   */
  consentToOpen(request: UrlRequest): Promise<'open' | 'opened' | 'decline' | 'cancel'>
  /** Opens a page where neither this client nor its model can see it. */
  open(url: string): Promise<void>
  /** Shows that a page was declined without asking. */
  pageRefused(page: RefusedPage): void
  /** Shows a wait. Resolves when the person reports that they are done, or cancels. */
  waiting(request: WaitRequest): Promise<'done' | 'cancel'>
}

import type { ElicitationUi, FormReply, FormRequest, RefusedPage, UrlRequest, WaitRequest } from '../client/ui.ts'

type PageConsentReply = Awaited<ReturnType<ElicitationUi['consentToOpen']>>

/** What the person does, one step for each question of a kind. The last step is repeated. */
export interface UiScript {
  readonly form?: readonly ((request: FormRequest) => FormReply | Promise<FormReply>)[]
  readonly consentToOpen?: readonly (
    | PageConsentReply
    | ((request: UrlRequest) => PageConsentReply | Promise<PageConsentReply>)
  )[]
  /** What the person does on the page. */
  readonly open?: (url: string) => void | Promise<void>
  /** `nothing`: the person does not react until the wait ends. */
  readonly waiting?: readonly (
    | 'done'
    | 'cancel'
    | 'nothing'
    | ((request: WaitRequest) => 'done' | 'cancel' | 'nothing' | Promise<'done' | 'cancel' | 'nothing'>)
  )[]
}

/** One thing that the person was shown. */
export type Shown =
  | { readonly kind: 'form'; readonly request: FormRequest }
  | { readonly kind: 'consent'; readonly request: UrlRequest }
  | { readonly kind: 'opened'; readonly url: string }
  | { readonly kind: 'page-refused'; readonly page: RefusedPage }
  | { readonly kind: 'waiting'; readonly request: WaitRequest; readonly progress: readonly string[] }

/** A UI that answers from a script and records what was shown, in order. */
export interface ScriptedUi extends ElicitationUi {
  readonly shown: readonly Shown[]
  /** Everything of one kind that was shown. */
  all<Kind extends Shown['kind']>(kind: Kind): Extract<Shown, { kind: Kind }>[]
}

/** An `ElicitationUi` that answers from a script. Throws if the script has no answer. */
export function scriptedUi(script: UiScript = {}): ScriptedUi {
  const shown: Shown[] = []
  const asked = { form: 0, consentToOpen: 0, waiting: 0 }

  function next<Step>(kind: keyof typeof asked, steps: readonly Step[] | undefined, what: string): Step {
    const step = steps?.[Math.min(asked[kind]++, steps.length - 1)]
    if (step === undefined) throw new Error(`The script has no step for ${kind}: ${what}`)
    return step
  }

  return {
    shown,
    all: (kind) => shown.filter((one) => one.kind === kind) as never,
    async form(request) {
      shown.push({ kind: 'form', request })
      return next('form', script.form, request.message)(request)
    },
    async consentToOpen(request) {
      shown.push({ kind: 'consent', request })
      const step = next('consentToOpen', script.consentToOpen, request.url)
      return typeof step === 'function' ? step(request) : step
    },
    pageRefused: (page) => void shown.push({ kind: 'page-refused', page }),
    async open(url) {
      shown.push({ kind: 'opened', url })
      await script.open?.(url)
    },
    async waiting(request) {
      const progress: string[] = []
      shown.push({ kind: 'waiting', request, progress })
      request.onProgress((text) => progress.push(text))
      const step = script.waiting === undefined ? 'nothing' : next('waiting', script.waiting, request.url)
      const reply = typeof step === 'function' ? await step(request) : step
      return reply === 'nothing' ? cancelWhenAborted(request.signal) : reply
    },
  }
}

/** Cancels when the wait ends. */
function cancelWhenAborted(signal: AbortSignal): Promise<'cancel'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('cancel')
    signal.addEventListener('abort', () => resolve('cancel'), { once: true })
  })
}

import type { ClientAdapter } from './adapter/adapter.ts'
import type { CompletionNotices } from './page/completion-notices.ts'
import type { SharedPages } from './page/shared-pages.ts'
import type { EnqueueQuestion } from './question/question-queue.ts'
import type { ToolClocks } from './tool-clock.ts'
import type { ElicitationUi } from './ui.ts'

/** Shared by all calls of one client. */
export interface ClientContext {
  readonly adapter: ClientAdapter
  readonly ui: ElicitationUi
  readonly server: string
  readonly clocks: ToolClocks
  readonly completionNotices: CompletionNotices
  readonly sharedPages: SharedPages
  readonly enqueue: EnqueueQuestion
  readonly mayAsk: () => boolean
  readonly humanMs: number
  readonly maxRetries: number
  /** How long a server may hold one request while the person is on a page. */
  readonly heldMs: number
}

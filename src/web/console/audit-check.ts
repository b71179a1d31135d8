import type { AuditReport } from '../../audit/verify.ts'
import { inBackground } from '../../base/under-way.ts'
import type { AssentForWeb } from '../needs.ts'

/** How far checking the whole audit is. */
export type AuditCheckState =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly checked: number; readonly of: number; readonly since: Date }
  | { readonly kind: 'done'; readonly report: AuditReport; readonly at: Date }
  | { readonly kind: 'failed'; readonly at: Date }

/** Checks the whole audit in the background, once at a time for everybody. */
export interface AuditCheck {
  readonly state: AuditCheckState
  start(): Promise<void>
}

const mostChains = 10_000

export function createAuditCheck(assent: Pick<AssentForWeb, 'store' | 'verifyAudit' | 'clock'>): AuditCheck {
  let state: AuditCheckState = { kind: 'none' }

  async function run(): Promise<void> {
    try {
      const report = await assent.verifyAudit(undefined, (checked) => {
        if (state.kind === 'running') state = { ...state, checked, of: Math.max(state.of, checked) }
      })
      state = { kind: 'done', report, at: assent.clock.now() }
    } catch {
      state = { kind: 'failed', at: assent.clock.now() }
    }
  }

  return {
    get state() {
      return state
    },
    async start() {
      if (state.kind === 'running') return
      state = { kind: 'running', checked: 0, of: 0, since: assent.clock.now() }
      // What was pruned is not there any more, so this is more than there is. It is a bound, not a promise.
      const all = (await assent.store.audit.heads(mostChains)).reduce((sum, { seq }) => sum + seq, 0)
      if (state.kind === 'running') state = { ...state, of: all }
      inBackground(run())
    },
  }
}

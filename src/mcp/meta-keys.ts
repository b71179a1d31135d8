/** Keys with this prefix are said by Assent only. */
export const ownPrefix = 'assent/'

/** The key in `capabilities.experimental` of servers that answer `elicitation/track`. */
export const trackCapability = 'assent/elicitation-track'

/** The key in `capabilities.experimental` of servers that answer `elicitation/withdraw`. */
export const withdrawCapability = 'assent/elicitation-withdraw'

/** The key in a result's `_meta` that says why a call did not run. */
export const outcomeKey = 'assent/outcome'

/** The key in a result's `_meta` that says who approved the call, and what they changed. */
export const approvalKey = 'assent/approval'

/** The key in a question's `_meta` that says what an approval is about; in that of a pending result, what it waits for. */
export const questionKey = 'assent/question'

/** The key in a question's `_meta` from which Claude clients take the heading of their dialog. */
export const permissionDisplayKey = 'anthropic/permissionDisplay'

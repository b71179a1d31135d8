/** The key under which servers with Assent declare that they answer `elicitation/track`. */
export const trackCapability = 'assent/elicitation-track'

/** The key in a result's `_meta` under which a call that did not run says why. */
export const outcomeKey = 'assent/outcome'

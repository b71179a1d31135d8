/** Whether the content of an answer to an approval says no, for this call or for longer, before anything else in it is read. */
export function saysNo(content: unknown): boolean {
  if (typeof content !== 'object' || content === null || !Object.hasOwn(content, 'choice')) return false
  const { choice } = content as { choice: unknown }
  return choice === 'deny' || (typeof choice === 'string' && choice.startsWith('always_deny/'))
}

/** The choice of an approver who hands the question on, and the field that says to whom. */
export const delegateChoice = 'delegate'
export const delegateField = 'delegateTo'

/** Whether the content of an answer to an approval hands the question on. */
export function delegates(content: unknown): boolean {
  if (typeof content !== 'object' || content === null || !Object.hasOwn(content, 'choice')) return false
  return (content as { choice: unknown }).choice === delegateChoice
}

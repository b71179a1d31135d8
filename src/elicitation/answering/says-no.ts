/** Whether the content of an answer to an approval says no, for this call or for longer, before anything else in it is read. */
export function saysNo(content: unknown): boolean {
  if (typeof content !== 'object' || content === null || !Object.hasOwn(content, 'choice')) return false
  const { choice } = content as { choice: unknown }
  return choice === 'deny' || (typeof choice === 'string' && choice.startsWith('always_deny/'))
}

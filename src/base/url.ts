/** Whether this is a complete URL. Node 20's own `URL.canParse` says no to some valid text, such as `ü`, once it is optimised. */
export function isUrl(text: string): boolean {
  try {
    new URL(text)
    return true
  } catch {
    return false
  }
}

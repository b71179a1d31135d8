import { isUrl } from '../../base/public-address.ts'
import { BadQuestion } from '../errors.ts'

/** A url we may send a person to: https, or http on this machine, and no credentials in it (E11-17, E11-32, E11-34). */
export function checkUrl(text: string): string {
  if (!isUrl(text)) throw new BadQuestion('The url of a question must be a full url, such as https://example.com/x.')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '')
    throw new BadQuestion('The url of a question must hold no user and no password.')
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return text
  throw new BadQuestion('The url of a question must be https; http only on this machine.')
}

/** Names and addresses that never leave this machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  )
}

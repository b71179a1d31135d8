import type { Sending } from '../provider.ts'

/** A secret in the form that a service takes: a header of each request, or an environment variable of a process. */
export type SentCredential =
  | { readonly header: string; readonly value: string }
  | { readonly env: string; readonly value: string }

/** `Authorization` carries a secret as a bearer token. Any other header, and the environment, carry it bare. */
export function sentCredential({ header, env }: Sending, secret: string): SentCredential {
  if (env !== undefined) return { env, value: secret }
  return headerCredential({ header }, secret)
}

/** The secret as a header, for a service that is called over HTTP. */
export function headerCredential(
  { header }: Pick<Sending, 'header'>,
  secret: string,
): Extract<SentCredential, { header: string }> {
  const isBearer = header.toLowerCase() === 'authorization'
  return { header, value: isBearer ? `Bearer ${secret}` : secret }
}

import type { WebOptions } from '../../web/index.ts'
import type { Config } from '../config/config.ts'

/** The settings of the file as options of the pages. */
export function webOptions({ auth, clocks, limits, trustedProxies }: Config): WebOptions {
  return {
    signIn: clocks.signIn,
    trustedProxies,
    limits: { perAddressPerMinute: limits.pagesPerAddress, perPersonPerMinute: limits.pagesPerPerson },
    ...(auth?.admins !== undefined && { admins: auth.admins }),
    ...(auth?.proxy !== undefined && { proxy: { ...auth.proxy, issuer: auth.issuer } }),
  }
}

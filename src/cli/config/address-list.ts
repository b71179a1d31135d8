import { BlockList, isIP } from 'node:net'

/** IP addresses and ranges of them. */
export interface AddressList {
  includes(address: string): boolean
}

/** Whether the text is an IP address, or a range in CIDR notation such as `10.0.0.0/8`. */
export function isAddressOrRange(text: string): boolean {
  return rangeIn(text) !== undefined
}

/** Texts that are neither an address nor a range include nothing. */
export function addressList(texts: readonly string[]): AddressList {
  const list = new BlockList()
  for (const { address, bits, family } of texts.flatMap((text) => rangeIn(text) ?? [])) {
    list.addSubnet(address, bits, family)
  }
  return {
    includes(given) {
      const address = plainAddress(given)
      const version = isIP(address)
      return version !== 0 && list.check(address, familyOf(version))
    },
  }
}

/** The address as people write it: a dual-stack socket reports IPv4 clients as `::ffff:10.0.0.1`. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}

interface Range {
  readonly address: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

function rangeIn(text: string): Range | undefined {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0) return undefined
  const most = version === 4 ? 32 : 128
  const bits = prefix === undefined ? most : Number(prefix)
  return bits > most ? undefined : { address, bits, family: familyOf(version) }
}

function familyOf(version: number): Range['family'] {
  return version === 4 ? 'ipv4' : 'ipv6'
}

import { BlockList, isIP } from 'node:net'

const outsideV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

// Only 2000::/3 is given out to the internet; these parts of it are not, or hold an IPv4 address in disguise.
const outsideV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const v4 = blockList(outsideV4, 'ipv4')
const v6 = blockList(outsideV6, 'ipv6')
const global = blockList(['2000::/3'], 'ipv6')
const translated = blockList(['64:ff9b::/96'], 'ipv6')
const loopback = blockList(['127.0.0.0/8'], 'ipv4')

/** Whether an IP address is one of the internet: not this machine, not a private network, not anything special. */
export function isPublicAddress(address: string): boolean {
  const bare = withoutZone(address)
  switch (isIP(bare)) {
    case 4:
      return !v4.check(bare, 'ipv4')
    case 6: {
      // Networks without IPv4 reach it through these.
      if (translated.check(bare, 'ipv6')) return isPublicAddress(lastFourBytes(bare))
      return global.check(bare, 'ipv6') && !v6.check(bare, 'ipv6')
    }
    default:
      return false
  }
}

/** Whether an IP address is this very machine. */
export function isLoopbackAddress(address: string): boolean {
  const bare = withoutZone(address)
  return bare === '::1' || (isIP(bare) === 4 && loopback.check(bare, 'ipv4'))
}

const withoutZone = (address: string) => address.replace(/%.*$/, '')

function lastFourBytes(address: string): string {
  // URL spells every IPv6 address in one way, the last two groups in hex.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':')
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function blockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Whether this is a complete URL. Node 20's own `URL.canParse` says no to some valid text, such as `ü`, once it is optimised. */
export function isUrl(text: string): boolean {
  try {
    new URL(text)
    return true
  } catch {
    return false
  }
}

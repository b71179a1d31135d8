import { BlockList, isIP } from 'node:net'
import { isLoopbackAddress, isUrl } from './public-address.ts'

/** The parts of an HTTP request that tell where it came from. */
export interface RequestHead {
  readonly url: string
  readonly headers: Pick<Headers, 'get' | 'has'>
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/**
 * Checks that a request was addressed to this machine by one of its own names: loopback's, or one of `hosts`. Any other
 * name was made to point here, as in DNS rebinding.
 */
export function acceptHosts(hosts: readonly string[]): (request: RequestHead) => boolean {
  const accepted = new Set([...loopbackNames, ...hosts])
  const isAccepted = rememberYes((host) => {
    const address = `http://${host}`
    return isUrl(address) && accepted.has(new URL(address).hostname)
  })
  // Some runtimes keep the host in the url only.
  return ({ headers, url }) => isAccepted(headers.get('host') ?? new URL(url).host)
}

/** Whether a proxy forwarded the request, so that its socket does not tell who sent it. */
export function wasForwarded({ headers }: RequestHead): boolean {
  return headers.has('forwarded') || headers.has('x-forwarded-for')
}

/** Whether the remote end of a socket is this machine. False for a closed socket, which has no address. */
export function isLocalSocket(remoteAddress: string | undefined): boolean {
  return remoteAddress !== undefined && isLoopback(remoteAddress)
}

const isLoopback = rememberYes((address) => isLoopbackAddress(address.replace(/^::ffff:/, '')))

/** How many texts are remembered, and the longest of them. */
const mostRemembered = 100
const longestRemembered = 300

/** The same test of a text, with its last yeses remembered: parsing an address takes longer than most of a call. */
function rememberYes(test: (text: string) => boolean): (text: string) => boolean {
  const known = new Set<string>()
  return (text) => {
    if (known.has(text)) return true
    if (!test(text)) return false
    if (known.size >= mostRemembered) known.clear()
    if (text.length <= longestRemembered) known.add(text)
    return true
  }
}

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

/**
 * The address that a request came from. `hops` are those of `X-Forwarded-For`: each proxy adds the address that it was
 * reached from at the end, so they are believed from the right, for as long as a trusted proxy says them.
 */
export function sourceAddress(socket: string, hops: string, trusted: AddressList): string {
  let address = plainAddress(socket)
  const left = hops.split(',')
  while (trusted.includes(address)) {
    const hop = addressIn(left.pop() ?? '')
    if (hop === undefined) break
    address = hop
  }
  return address
}

/** Some proxies add the port of the connection. */
function addressIn(hop: string): string | undefined {
  const withoutPort = hop
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
  const address = plainAddress(withoutPort)
  return isIP(address) === 0 ? undefined : address
}

/** Addresses that one machine can choose among at will: all of loopback, and the 64 bits that an IPv6 network gives to it. */
export function networkOf(address: string): string {
  if (isLocalSocket(address)) return 'loopback'
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const left = head.split(':').filter((group) => group !== '')
  const right = tail?.split(':') ?? []
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  const groups = tail === undefined ? left : [...left, ...zeros, ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

import { visibleLine } from '../../base/text/visible-text.ts'
import { proxiesWithCredentials } from '../../gateway/upstream/stdio/environment.ts'
import type { Config } from './config.ts'
import type { Environment } from './read/environment.ts'

/** What is allowed and will surprise somebody, each with what to do. For the start, and for `assent doctor`. */
export function startWarnings(config: Config, env: Environment = process.env): string[] {
  return [...portWarnings(config), ...proxyWarnings(config, env), ...pastedWarnings(config)]
}

/** Which settings come from variables of another program. For the start, and for `assent doctor`. */
export function adoptedNotes({ adopted }: Pick<Config, 'adopted'>): string[] {
  return adopted.map(({ variable, settings }) => {
    const [names, come] = [listed(settings), settings.length === 1 ? 'comes' : 'come']
    return `${names} ${come} from the environment variable ${variable}, as the settings say nothing of ${settings.length === 1 ? 'it' : 'them'}.`
  })
}

function listed(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' and ')
}

/** The ports that fetch refuses by its standard, in browsers and in Node, with the error `bad port`. */
const refusedPorts = new Set([
  ...[1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530],
  ...[531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045],
  ...[4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
])

function portWarnings({ listen, publicUrl }: Config): string[] {
  const ports = new Set([listen.port, Number(new URL(publicUrl).port)])
  return [...ports]
    .filter((port) => refusedPorts.has(port))
    .map((port) => `Browsers and most MCP clients refuse port ${port} ("bad port"). Choose another, such as 4180.`)
}

/** What other clients were told not to ask about is asked about here, until the owner of the file says otherwise. */
function pastedWarnings({ servers, allowsPasted = false }: Config): string[] {
  return [...servers.values()].flatMap(({ id, pastedAllow }) => {
    if (pastedAllow === undefined) return []
    const tools = visibleLine(pastedAllow.join(', '), 200)
    return allowsPasted
      ? `These tools of ${id} run without a question where no rule of the policy says otherwise, as --allow-pasted was given: ${tools}.`
      : `alwaysAllow or autoApprove of ${id} (${tools}) allows nothing by itself: the policy decides. Start with --allow-pasted to let these tools run where no rule says otherwise, or write a rule for them.`
  })
}

function proxyWarnings({ servers }: Config, env: Environment): string[] {
  if (![...servers.values()].some(({ kind }) => kind === 'process')) return []
  return proxiesWithCredentials(env).map(
    (name) =>
      `${name} holds a user name or a password, and every server that Assent starts gets it. Use a proxy address without them.`,
  )
}

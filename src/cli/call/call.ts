import { type Command, InvalidArgumentError } from 'commander'
import type { CallOptions } from './run-call.ts'

const examples = `
A server is a url, a name in the servers or mcpServers of a config file, or a command line.
The file is that of --config, else assent.yaml, assent.yml, assent.json, .mcp.json or mcp.json here.
Examples:
  assent call https://mcp.example.com/mcp                        which tools it has
  assent call github create_issue '{"title": "A bug"}'           a server in a config file
  assent call "npx -y some-server" search --arg query=mcp        a command line: it has a space
  assent call --command ./server search --arg query=mcp          the same for one word
  assent call github deploy --answer env=staging --yes-open      for scripts: answers beforehand

Questions of the server are asked on the terminal, on standard error; results go to standard output.
Exit codes: 0 done; 1 the server or you said no; 2 something is missing or wrong; 3 no server.`

/** `assent call`: calls one tool of a server, and asks whatever the server asks. */
export function addCallCommand(program: Command): void {
  program
    .command('call')
    .argument('[server]', 'a url, a name in the config file, or a command line')
    .argument('[tool]', 'left out: lists the tools')
    .argument('[json]', "the tool's arguments as a JSON object")
    .description('call a tool of an MCP server, and answer what it asks')
    .option('--command <line>', 'the server as a command line; then the first argument is the tool')
    .option('--header <line>', 'for a url, such as "Authorization: Bearer …"; may be repeated', pairs(':'))
    .option('--arg <key=value>', 'an argument of the tool; may be repeated', pairs('='))
    .option('--answer <key=value>', 'the answer to a field of a form; may be repeated', pairs('='))
    .option('--answers <file>', 'answers to forms, as a JSON object')
    .option('--yes', 'say yes to forms in which nothing must be filled in')
    .option('--yes-open', 'say yes to opening pages, unless something is odd about their address')
    .option('--timeout <duration>', 'how long the tool may take; your own time does not count', '60s')
    .option('--verbose', "show the server's own log")
    .option('--json', 'print the result as it came, for scripts')
    .addHelpText('after', examples)
    .action(async (...given: unknown[]) => {
      const options: CallOptions = {
        header: [],
        arg: [],
        answer: [],
        ...(given[4] as Command).optsWithGlobals<Partial<CallOptions>>(),
      } as CallOptions
      const words = given.slice(0, 3).filter((word) => word !== undefined) as string[]
      const { runCall } = await import('./run-call.ts')
      await runCall(options.command === undefined ? words : [undefined, ...words], options)
    })
}

/** Collects `key=value`; a key may come again. */
function pairs(sign: '=' | ':') {
  return (text: string, soFar: readonly (readonly [string, string])[] = []): readonly (readonly [string, string])[] => {
    const at = text.indexOf(sign)
    if (at < 1) throw new InvalidArgumentError(`Write it as key${sign}value.`)
    return [...soFar, [text.slice(0, at).trim(), sign === ':' ? text.slice(at + 1).trim() : text.slice(at + 1)]]
  }
}

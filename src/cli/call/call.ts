import { type Command, InvalidArgumentError } from 'commander'
import type { CallOptions } from './run-call.ts'

const examples = `
A server is a url, a name under servers or mcpServers in a config file, or a command line. The config file is the one
of --config, or the first of assent.yaml, assent.yml, assent.json, .mcp.json and mcp.json in this folder.

Examples:
  assent call https://mcp.example.com/mcp                        list the tools of a server
  assent call github create_issue '{"title": "A bug"}'           a server in a config file
  assent call "npx -y some-server" search --arg query=mcp        a command line, which has a space
  assent call --command ./server search --arg query=mcp          a command line of one word
  assent call github deploy --answer env=staging --yes-open      for scripts: answers in advance

Questions of the server are asked in the terminal, on standard error. Results go to standard output.
Exit codes: 0 done; 1 the call failed, or was declined; 2 an argument or answer is missing or wrong;
3 the server cannot be reached; 130 interrupted.`

/** `assent call`: calls one tool of a server, and asks the person what the server asks. */
export function addCallCommand(program: Command): void {
  program
    .command('call')
    .argument('[server]', 'a url, a name in the config file, or a command line')
    .argument('[tool]', 'the tool to call; without it, the tools are listed')
    .argument('[json]', "the tool's arguments as a JSON object")
    .description('call a tool of an MCP server, and answer its questions')
    .option('--command <line>', 'start the server with this command line; the first argument is then the tool')
    .option('--header <line>', 'an HTTP header, such as "Authorization: Bearer …"; may be repeated', pairs(':'))
    .option('--arg <key=value>', 'an argument of the tool; may be repeated', pairs('='))
    .option('--answer <key=value>', 'the answer to one field of a form; may be repeated', pairs('='))
    .option('--answers <file>', 'a file with answers to forms, as a JSON object')
    .option('--yes', 'accept forms that have no required field')
    .option('--yes-open', 'open pages without asking, unless their address looks suspicious')
    .option('--timeout <duration>', 'how long the tool may take, without the time that you take to answer', '60s')
    .option('--verbose', "print the server's log")
    .option('--json', 'print the result as JSON, for scripts')
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

/** Collects options of the form `key=value`. */
function pairs(sign: '=' | ':') {
  return (text: string, soFar: readonly (readonly [string, string])[] = []): readonly (readonly [string, string])[] => {
    const at = text.indexOf(sign)
    if (at < 1) throw new InvalidArgumentError(`Write it as key${sign}value.`)
    return [...soFar, [text.slice(0, at).trim(), sign === ':' ? text.slice(at + 1).trim() : text.slice(at + 1)]]
  }
}

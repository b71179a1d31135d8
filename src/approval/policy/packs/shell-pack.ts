import type { PackRule } from './pack.ts'

/** The tools by which coding agents and shell servers run a command that is in `args.command`. */
const shells = [
  'Bash',
  'shell',
  'local_shell',
  'exec',
  'exec_command',
  'execute_command',
  'run_command',
  'run_shell_command',
  'run_terminal_cmd',
  'run_in_terminal',
  'terminal',
]

/** A condition on the command, false where there is none that is text. */
const command = (pattern: string) =>
  `has(args.command) && type(args.command) == string && args.command.re2(r'${pattern}')`

/** What no sign of the shell can turn into something else: words, paths and plain options. */
const plainWord = '[A-Za-z0-9_./-]+'

/** Commands of coding agents, and of servers that run commands. */
export const shellPack: readonly PackRule[] = [
  {
    tool: shells,
    when: command(String.raw`(^|[;&|({\x60\s])rm\s+(-\S+\s+)*(/|/\*|~|~/|~/\*|\$HOME/?|\.\.?/?)(\s|[;&|)}\x60]|$)`),
    decide: 'deny',
    reason: 'Deletes a whole home folder, working folder or disk.',
  },
  {
    tool: shells,
    when: command(
      String.raw`(^|[;&|({\x60\s])(mkfs(\.\w+)?|fdisk|wipefs|shred)\s|of=/dev/(sd|nvme|vd|disk)|>\s*/dev/(sd|nvme|vd|disk)`,
    ),
    decide: 'deny',
    reason: 'Overwrites a disk.',
  },
  {
    server: ['claude-code', 'codex'],
    tool: shells,
    when: command(
      `^(pwd|whoami|date|ls( -[A-Za-z1]+)?( ${plainWord})?|git status( -s| --short| --porcelain)?|git branch)$`,
    ),
    decide: 'allow',
    reason: 'Only looks at folders and at the state of the repository.',
  },
  {
    tool: shells,
    when: command(String.raw`(curl|wget)\b[^;]*\|\s*(sudo\s+)?(ba|z|da|fi)?sh\b`),
    decide: 'ask',
    answer: 'page',
    priority: 'high',
    reason: 'Downloads a program and runs it at once.',
  },
  {
    tool: shells,
    when: command(
      String.raw`(^|[;&|({\x60\s])(sudo|doas|su|rm|shutdown|reboot|kill|pkill|killall|systemctl|crontab)(\s|$)`,
    ),
    decide: 'ask',
    answer: 'page',
    reason: 'Deletes files, ends programs, or acts with the rights of somebody else.',
  },
  {
    tool: shells,
    when: command(
      String.raw`\bgit\b[^;&|]*\s(push|reset|clean|rebase|filter-branch)\b|(npm|pnpm|yarn|cargo|twine|gem)\s+(publish|upload|push)\b`,
    ),
    decide: 'ask',
    answer: 'page',
    reason: 'Publishes something, or throws work away.',
  },
  { tool: shells, decide: 'ask', reason: 'A command can do anything that you can.' },
]

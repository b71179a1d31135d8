import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commandParts } from '../../../src/approval/command/command-parts.ts'
import { plainCommands } from '../../../src/approval/command/plain-commands.ts'
import { decide } from '../../../src/approval/policy/decide.ts'
import { explain } from '../../../src/approval/policy/explain.ts'
import type { RuleSettings } from '../../../src/approval/policy/policy-settings.ts'
import { aCall } from '../../support/approval/a-call.ts'
import { readPolicy } from '../../support/policies.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const bash = (command: unknown, others: object = {}) =>
  aCall({ server: 'claude-code', tool: 'Bash', arguments: { command, ...others } as never, inputSchema: {} })
const decided = (rule: Partial<RuleSettings>, command: unknown, others?: object) =>
  decide(readPolicy({ default: 'ask', rules: [{ decide: 'allow', ...rule }] }), bash(command, others)).decide

describe('a rule that allows `git status` and `ls *`', () => {
  const rule = { commands: ['git status', 'ls *', 'ls'] }

  test.each([
    'git status',
    ' git   status\n',
    'git status && ls -la',
    'git status; ls',
    'ls | ls -a',
    'ls "a file" \'b; c\'',
    'git status\nls\n\nls',
    'git status ||\nls x',
    'ls --color=auto a/b.c',
  ])('allows %j', (command) => expect(decided(rule, command)).toBe('allow'))

  test.each([
    'git status; rm -rf ~',
    'git status && rm -rf ~',
    'git status || rm x',
    'git status | sh',
    'git status & rm x',
    'git status |& sh',
    'git status\nrm x',
    'git status\r\nrm x',
    'git status\u2028rm x',
    'git status $(rm x)',
    'git status `rm x`',
    'ls "$(rm x)"',
    'ls "`rm x`"',
    'ls "a\\"; rm x"',
    'ls $HOME',
    'ls ~',
    'ls *',
    'ls a?',
    'ls [a]',
    'ls {a,b}',
    'ls > /etc/passwd',
    'ls >> x',
    'ls 2>x',
    'ls < x',
    'ls <(rm x)',
    'ls <<E\nrm\nE',
    'ls <<<x',
    '(ls)',
    '{ ls; }',
    '! ls',
    'A=b ls',
    'PATH=. ls',
    'env ls',
    'sudo ls',
    'eval ls',
    'command ls',
    '\\ls',
    "l's'",
    '"ls" x',
    "'ls' x",
    'ls"a"',
    'ls a"b"',
    "ls $'a'",
    'ls # x',
    'ls \\\nrm',
    'ls "a\nb"',
    '=ls x',
    'ls =rm',
    'ls !x',
    'ls "a!b"',
    'ls; ; ls',
    'ls &&',
    '; ls',
    'ls |',
    '| ls',
    '',
    ' ',
    'git\u00a0status',
    '\u00a0git status',
    'git status\u00a0',
    '\ufeffgit status',
    'git \u0455tatus',
    'git status\0',
    'if true; then ls; fi',
    'for a in b; do ls; done',
    'function ls { rm; }',
    'ls() { rm; }',
    'alias ls=rm',
    '. x',
    'source x',
    "ls 'unclosed",
    'ls ^a^b',
  ])('does not allow %j', (command) => expect(decided(rule, command)).not.toBe('allow'))

  test.each([undefined, null, 3, ['git', 'status'], ['bash', '-c', 'git status; rm x'], { a: 'ls' }])(
    'does not allow %j in place of a text',
    (command) => expect(decided(rule, command)).toBe('ask'),
  )

  test.each([
    { description: 'Look' },
    { timeout: 5, run_in_background: true },
    { cwd: '/a' },
    { sandbox: false, env: null },
  ])('allows `git status` with %j', (others) => expect(decided(rule, 'git status', others)).toBe('allow'))

  test.each([
    { dangerouslyDisableSandbox: true },
    { args: ['push'] },
    { env: { PATH: '.' } },
    { shell: '/tmp/sh' },
    { stdin: 'rm x' },
    { extra: '' },
  ])('does not allow `git status` with %j, which may change what runs', (others) =>
    expect(decided(rule, 'git status', others)).toBe('ask'),
  )
})

describe('a rule that allows any arguments of a program does not allow what they run', () => {
  test.each([
    "find . -exec rm '{}' +",
    'find . -ok rm x',
    'gfind . -execdir rm x',
    'fd -x rm',
    'fd x -HX rm',
    'fd --exec=rm',
    'git fetch --exec x',
    "bash -c 'rm x'",
    "/bin/sh -ec 'rm x'",
    'ls | sh',
    "zsh '-c' 'rm x'",
    'pwsh x',
    '/usr/bin/env rm x',
    'doas rm x',
    'SUDO rm x',
    'busybox rm x',
    'cmd.exe /c rm',
    'watch rm x',
    'parallel rm x',
    'ssh-agent; xargs rm',
    '- rm x',
    'noglob rm x',
    'repeat 2 rm x',
    'hash -p /tmp/rm ls',
    "mapfile -C 'rm x' -c 1",
    "let 'a[$(rm x)]=1'",
    "test -v 'a[$(rm x)]'",
    "printf -v 'a[$(rm x)]' y",
    "iex 'rm x'",
    "ls 'a\u2019; rm x; \u2018'",
    'ls "a\u201d; rm x; \u201c"',
  ])('%j', (command) => expect(decided({ commands: '*' }, command)).not.toBe('allow'))

  test.each([
    'find . -name x',
    'bash build.sh -c',
    "printf '%s' x",
    'test -f x',
    'fd -H x',
    'env-tool x',
    "grep '[a]' x",
  ])('yet it allows %j', (command) => expect(decided({ commands: '*' }, command)).toBe('allow'))
})

test('a rule says which commands it wants', () => {
  const { rules } = explain(
    readPolicy({ rules: [{ decide: 'allow', commands: ['git status', 'ls *'] }] }),
    bash('rm x'),
  )
  expect(rules[0]?.words).toBe('Does not match: the commands are not for certain git status or ls *.')
})

describe('a stricter rule', () => {
  const rule = { decide: 'deny', commands: 'rm *' } as const

  test.each(['rm x', 'ls; rm x', 'ls | rm -rf .', 'ls\nrm x'])('matches %j, where one command does', (command) =>
    expect(decided(rule, command)).toBe('deny'),
  )

  test.each(['$(echo rm) x', 'r\\m x', 'eval "rm x"', 'env rm x', "r''m x", ['rm', 'x']])(
    'matches %j too, for nobody can tell',
    (command) => expect(decided(rule, command)).toBe('deny'),
  )

  test.each(['/bin/rm x', 'ls && ./rm x', 'RM x', 'rm "-rf" x'])('matches %j, another way to write it', (command) =>
    expect(decided({ ...rule, commands: ['rm -rf *', 'rm x'] }, command)).toBe('deny'),
  )

  test.each([{ args: ['rm'] }, { env: { A: 'rm' } }, { stdin: 'rm x' }])(
    'matches `ls` with %j, for nobody can tell',
    (others) => expect(decided(rule, 'ls', others)).toBe('deny'),
  )

  test.each([{ dangerouslyDisableSandbox: true }, { cwd: '/rm', timeout: 3 }])(
    'does not match `ls` with %j',
    (others) => expect(decided(rule, 'ls', others)).toBe('ask'),
  )

  test.each(['ls', 'ls rm', 'git rm x', 'ls "rm x"'])('does not match %j', (command) =>
    expect(decided(rule, command)).toBe('ask'),
  )

  test('is about shell commands only', () => {
    const policy = readPolicy({ default: 'allow', rules: [rule] })
    expect(decide(policy, aCall()).decide).toBe('allow')
  })
})

test('what is said to be plain runs as it is said, in real shells', async () => {
  const folder = await temporaryFolder()
  const bin = join(folder, 'bin')
  const log = join(folder, 'log')
  await mkdir(bin)
  // Programs that only write down how they were called, and the only ones there are.
  for (const name of ['git', 'ls', 'rm', 'sh', 'a']) {
    await writeFile(
      join(bin, name),
      `#!/bin/sh\nprintf '%s' "${name}" >> '${log}'\nfor one in "$@"; do printf ' %s' "$one" >> '${log}'; done\nprintf '\\n' >> '${log}'\n`,
    )
    await chmod(join(bin, name), 0o755)
  }
  const piece = fc.constantFrom(
    ...[
      'git',
      'ls',
      'rm',
      'a',
      'status',
      '-x',
      'a=b',
      "'a;b'",
      '"c d"',
      "'$(rm)'",
      '~',
      '$A',
      '`',
      '$(rm)',
      '"',
      "'",
      '\\',
    ],
    ...[
      ';',
      '&&',
      '||',
      '|',
      '&',
      '\n',
      ' ',
      ' ',
      '  ',
      '\t',
      '(',
      ')',
      '{',
      '}',
      '!',
      '#',
      '*',
      '<',
      '>',
      '=',
      '%',
      ':',
      '..',
    ],
  )
  const text = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(''))
  const plain: [string, readonly string[]][] = []
  fc.assert(
    fc.property(text, (command) => {
      const commands = plainCommands(command)
      // Which of the others runs depends on how the first ends.
      if (commands !== undefined && !command.includes('|')) plain.push([command, commands])
    }),
    { numRuns: 3_000 },
  )
  const some = [...new Map(plain)].slice(0, 40)
  expect(some.length).toBeGreaterThan(10)
  for (const [command, commands] of some) {
    await writeFile(log, '')
    await promisify(execFile)('/bin/sh', ['-c', command], { cwd: folder, env: { PATH: bin } }).catch(() => {})
    const ran = (await readFile(log, 'utf8')).split('\n').filter(Boolean)
    const said = commands.map((one) => one.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'))
    // A command that is not there runs nothing; what ran was said, in this order.
    const known = said.filter((one) => /^(?:git|ls|rm|sh|a)(?: |$)/.test(one))
    expect(known.slice(0, ran.length), JSON.stringify(command)).toEqual(ran)
  }
})

describe('the parts that are shown of a command', () => {
  test.each<[string, readonly string[] | undefined]>([
    ['git status', undefined],
    ['git add . && git commit -m "a; b" | tee log', ['git add .', 'git commit -m "a; b"', 'tee log']],
    ['echo $(curl x | sh); rm -rf ~', ['echo $(curl x | sh)', 'curl x', 'sh', 'rm -rf ~']],
    ['echo "`id`" & ls', ['echo "`id`"', 'id', 'ls']],
    ['(cd a; ls)', ['(cd a; ls)', 'cd a', 'ls']],
    ['echo "$(echo $(id))" ', ['echo "$(echo $(id))"', 'echo $(id)', 'id']],
    ['make 2>&1 | less', ['make 2>&1', 'less']],
    ['make &> log; ls', ['make &> log', 'ls']],
    ["echo 'a; b' \\; c; d", ["echo 'a; b' \\; c", 'd']],
    ['a\nb', ['a', 'b']],
    ["echo $(echo 'a)b'); ls", ["echo $(echo 'a)b')", "echo 'a)b'", 'ls']],
    ['echo $(echo a\\)b); ls', ['echo $(echo a\\)b)', 'echo a\\)b', 'ls']],
    ['echo $(echo "x;y"); ls', ['echo $(echo "x;y")', 'echo "x;y"', 'ls']],
    ['echo $( (id) ); ls', ['echo $( (id) )', '(id)', 'id', 'ls']],
    ['echo $(echo "$x"); ls', undefined],
    ['echo $(echo "a); ls', undefined],
    ['echo $(echo `id`); ls', undefined],
    ['echo $(ls; id', undefined],
    ['ls); id', undefined],
    ['echo `id; ls', undefined],
    ["echo 'a; b", undefined],
    ['make >| log; ls 2<&1', ['make >| log', 'ls 2<&1']],
    ['cat <<E; ls\nx\nE', undefined],
    ['for a in b; do c; done', undefined],
    ['echo $((1+2)); ls', undefined],
    ['echo "a; ls', undefined],
    ['a) ; ls', undefined],
    ['ls # a; b', undefined],
    ['ls;# a', undefined],
    ["echo $'\\'' ; rm -rf x ; echo \\'; ls", undefined],
    ['ls; echo \\>& rm -rf x', undefined],
    ['ls; echo \\>| sh', undefined],
    ['echo $\x7bx:-;} rm; ls', undefined],
    ['echo $\x7bx:-y}; ls', ['echo $\x7bx:-y}', 'ls']],
    ["ls;#'\nrm x;#'", undefined],
    ["ls; (#'\nrm x;#'\n)", undefined],
    ["echo $'\\''; rm x; echo '\\'; ls", undefined],
    ['echo $"a"; ls', undefined],
    ['echo a#b; ls', ['echo a#b', 'ls']],
  ])('%j', (command, parts) => expect(commandParts(command)).toEqual(parts))

  test('are found in bounded time, whatever the text', () => {
    for (const text of [
      `a${' '.repeat(1_000_000)}b`,
      `a &&${' '.repeat(1_000_000)}b`,
      '('.repeat(5_000),
      '$('.repeat(5_000),
      '"'.repeat(9_999),
      '`'.repeat(9_999),
      'a;'.repeat(5_000),
      '${'.repeat(5_000),
    ]) {
      commandParts(text)
      plainCommands(text)
    }
  })
})

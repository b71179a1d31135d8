const listed = (names: string) => new Set(names.split(' '))

/** What runs other commands, reads them, or changes what the next ones mean: in sh, bash, zsh and PowerShell. */
const notCommands = listed(
  '- . : alias autoload bg bind builtin case command compgen complete compopt coproc declare do done elif else emulate ' +
    'enable end env esac eval exec export fc fg fi float for foreach function getopts hash icm iex if in integer ' +
    'invoke-command invoke-expression let local mapfile nocorrect noglob read readarray readonly repeat saps sched select ' +
    'set setopt shopt source start start-process then time trap typeset unalias unset unsetopt until while zmodload',
)
/** Programs whose arguments are a command that they run. */
const runners = listed(
  'busybox bwrap caffeinate chroot chrt cmd doas entr expect fakeroot firejail flock gdb ionice ltrace nice nohup ' +
    'nsenter numactl parallel pkexec powershell proot pwsh runuser script setarch setpriv setsid stdbuf strace su sudo systemd-run taskset ' +
    'timeout toybox unbuffer unshare watch xargs xvfb-run',
)
/** What takes commands from its input or its options, unless it is given a script. */
const shells = listed('ash bash csh dash fish ksh mksh rbash sh tcsh zsh')
/** These take an argument such as `a[$(id)]` for arithmetic, and run what is in it. */
const calculating = listed('break continue exit logout print printf return shift test wait')

/** Whether a command of plain words holds, or may hold, other commands that it runs. */
export function spellsCommands([program = '', ...words]: readonly string[]): boolean {
  const name = programName(program)
  if (notCommands.has(name) || runners.has(name)) return true
  const bare = words.map((word) => word.replace(/^['"]|['"]$/g, ''))
  if (shells.has(name)) return bare[0] === undefined || /^[-+]/.test(bare[0])
  if (calculating.has(name)) return bare.some((word) => word.includes('['))
  if (/^fd(?:find)?$/.test(name) && bare.some((word) => /^-[A-Za-z]*[xX]/.test(word))) return true
  // As in `find -exec`, and of others `--exec`.
  return bare.some((word) => /^--?exec/i.test(word) || (name.endsWith('find') && /^-ok/.test(word)))
}

/** The name of a program, whatever folder it is started from. Some systems take it in capitals too. */
export function programName(word: string): string {
  return (word.split('/').at(-1) ?? word).replace(/\.exe$/i, '').toLowerCase()
}

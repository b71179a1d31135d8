// The variables that programs need to run. Any other variable may be a secret of the gateway and must be configured by
// name.
const inheritedNames = [
  'HOME',
  'LANG',
  'LC_ALL',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
  ...['APPDATA', 'COMSPEC', 'LOCALAPPDATA', 'PATHEXT', 'SYSTEMROOT', 'TEMP', 'TMP', 'USERPROFILE', 'WINDIR'],
]

/** The environment of an upstream's process. Variables for Assent itself (`ASSENT_*`) are never passed on. */
export function childEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  ...given: Readonly<Record<string, string>>[]
): Record<string, string> {
  const inherited = inheritedNames.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]))
  const all: Record<string, string> = Object.assign(Object.fromEntries(inherited), ...given)
  for (const name of Object.keys(all)) if (/^ASSENT_/i.test(name)) delete all[name]
  return all
}
